// What the server of this page is asked.

async function answer(response) {
  const value = await response.json();
  if (!response.ok) {
    throw new Error(value.error ?? response.statusText);
  }
  return value;
}

/** One of the lists and records: get("metrics", {id}). */
export async function get(what, parameters = {}) {
  return answer(await fetch(`/api/${what}?${new URLSearchParams(parameters)}`));
}

/** Asks a run of the serving process to end; the secret is in the address that it printed. */
export async function stop(id, secret) {
  return answer(
    await fetch(`/api/stop?${new URLSearchParams({ id })}`, { method: "POST", headers: { "X-Heddle-Secret": secret } }),
  );
}

/** Follows a run; returns what ends that. */
export function follow(id, from, { metrics, live, end, lost }) {
  let at = from;
  const source = new EventSource(`/api/events?${new URLSearchParams({ id, from })}`);
  source.addEventListener("metrics", (event) => {
    const part = JSON.parse(event.data);
    at = part.next;
    metrics(part.columns);
  });
  source.addEventListener("live", (event) => live(JSON.parse(event.data)));
  source.addEventListener("end", (event) => {
    source.close();
    end(JSON.parse(event.data));
  });
  source.addEventListener("error", () => {
    // A connection of its own that begins again would begin at the old place.
    source.close();
    lost(at);
  });
  return () => source.close();
}
