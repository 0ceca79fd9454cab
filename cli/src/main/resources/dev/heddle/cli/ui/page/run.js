// One run, as it goes or as it was.
import { follow, get, stop } from "./api.js";
import { bars } from "./bars.js";
import { AXES, chart, positions } from "./charts.js";
import { bytes, duration, el, number } from "./dom.js";
import { matrix } from "./matrix.js";
import { timeline } from "./timeline.js";

const TIMES = ["busy", "blocked", "starved", "idle"];

function card(name, value) {
  return el("div", { class: "card" }, name, el("b", {}, value));
}

function append(columns, more) {
  const length = Math.max(0, ...Object.values(columns).map((c) => c.length));
  const added = Math.max(0, ...Object.values(more).map((c) => c.length));
  for (const key of new Set([...Object.keys(columns), ...Object.keys(more)])) {
    columns[key] ??= Array(length).fill(null);
    columns[key].push(...(more[key] ?? Array(added).fill(null)));
  }
}

export async function show(view, { place, path, parameters, say }) {
  const id = path.join("/");
  place.textContent = id;
  const run = await get("run", { id });
  const first = await get("metrics", { id });
  const columns = first.columns;
  let state = run.state;
  let unfollow = () => {};
  let kind = "all";
  let workers = run.live;

  const cards = el("div", { class: "cards" });
  const charts = el("div", { class: "charts" });
  const over = el("select", { id: "over", change: drawCharts }, AXES.map((name) => el("option", {}, name)));
  const lanes = timeline();
  const live = el("section", { "aria-label": "What workers are at", hidden: true });
  const sent = el("div");
  const times = el("div");
  const memory = el("div");
  const kinds = el("select", { id: "kind", change: () => { kind = kinds.value; drawLive(); } }, el("option", {}, "all"));
  live.append(
    el("h2", {}, "Workers, now"),
    lanes.element,
    times,
    memory,
    el("h2", {}, "Bytes between workers"),
    el("div", { class: "bar-of-tools" }, el("label", { for: "kind" }, "Kind"), kinds),
    sent,
  );
  const end = el("button", { type: "button", hidden: true, click: ask }, "Stop after this epoch");
  const secret = parameters.get("secret") ?? sessionStorage.getItem("heddle-secret");
  if (secret) {
    sessionStorage.setItem("heddle-secret", secret);
  }

  async function ask() {
    try {
      await stop(id, secret ?? "");
      say("The run ends after its epoch, and can go on with --resume.");
      end.disabled = true;
    } catch (e) {
      say(e.message, true);
    }
  }

  function drawCards() {
    const epochs = columns.epoch ?? [];
    const done = epochs.at(-1) ?? 0;
    const all = Number(run.values.epochs ?? 0);
    const seconds = (columns.seconds ?? []).slice(-20);
    const mean = seconds.reduce((sum, s) => sum + s, 0) / Math.max(1, seconds.length);
    const latest = (name) => (columns[name] ?? []).findLast((v) => v != null);
    cards.replaceChildren(
      card("state", state),
      card("epoch", all ? `${done} of ${all}` : String(done)),
      card("loss", number(latest("loss"))),
      card(run.summary?.metric ? `${run.summary.metric}, valid` : "valid", number(latest("valid")) || "–"),
      card("epochs a second", mean ? number(Number((1 / mean).toPrecision(3))) : "–"),
      ...(state === "running" && all > done ? [card("time left", duration((all - done) * mean))] : []),
      ...(run.summary ? [card("test, at the best epoch", number(run.summary.test)), card("sent an epoch", bytes(run.summary.sent.bytesPerEpoch)), card("memory at the peak", bytes(run.summary.peakMemoryBytes.native))] : []),
    );
    end.hidden = !(run.controlled && state === "running");
  }

  function drawCharts() {
    const xs = positions(over.value, columns, run.values["sent.bytesPerEpoch"]);
    const scores = ["train", "valid", "test"].filter((name) => columns[name]);
    charts.replaceChildren(
      chart("loss", over.value, [{ name: "loss", xs, ys: columns.loss ?? [] }]),
      chart("scores", over.value, scores.map((name) => ({ name, xs, ys: columns[name] }))),
      chart("seconds an epoch", over.value, [{ name: "seconds", xs, ys: columns.seconds ?? [] }]),
    );
  }

  function drawLive() {
    live.hidden = workers.length === 0;
    if (live.hidden) {
      return;
    }
    lanes.show(workers);
    times.replaceChildren(
      bars("seconds by kind of time, each thread", workers.flatMap((w) => w.threads.map((t) => ({ name: `${w.worker} ${t.thread}`, parts: Object.fromEntries(TIMES.map((time) => [time, t[time]])) })))),
    );
    memory.replaceChildren(el("p", {}, ...workers.map((w) => el("span", {}, `worker ${w.worker}: ${bytes(w.memory.taken)} taken, ${bytes(w.memory.peak)} at the peak${w.memory.limit ? ` of ${bytes(w.memory.limit)}` : ""}. `))));
    const made = matrix(workers, kind);
    for (const name of made.kinds) {
      if (![...kinds.options].some((option) => option.value === name)) {
        kinds.append(el("option", {}, name));
      }
    }
    sent.replaceChildren(made.element);
  }

  function past() {
    if (!run.summary) {
      return [];
    }
    const rows = (run.summary.workerSeconds ?? []).flatMap((w) => w.threads.map((t) => ({ name: `${w.worker} ${t.thread}`, parts: Object.fromEntries(TIMES.map((time) => [time, t[time]])) })));
    const kindsSent = Object.entries(run.summary.sent.byKind).filter(([, amount]) => amount.bytes > 0);
    const widths = run.summary.exchange?.widths ?? [];
    return [
      el("h2", {}, "Where the seconds went"),
      bars("seconds by stage, first worker", [{ name: "stages", parts: run.summary.stageSeconds }]),
      bars("seconds by kind of time, all threads", rows),
      el("h2", {}, "What was sent"),
      kindsSent.length
        ? el("table", {}, el("thead", {}, el("tr", {}, ["kind", "bytes", "messages"].map((h) => el("th", { scope: "col" }, h)))), el("tbody", {}, kindsSent.map(([name, amount]) => el("tr", {}, el("td", {}, name), el("td", { class: "number" }, bytes(amount.bytes)), el("td", { class: "number" }, number(amount.messages))))))
        : el("p", { class: "faint" }, "nothing: there was one worker"),
      ...(widths.length
        ? [
            el("h2", {}, "Bits of rows, by choice of widths"),
            el("div", { class: "scrolls tall" }, el("table", {}, el("thead", {}, el("tr", {}, ["epoch", "value", "direction", "2 bits", "4 bits", "8 bits"].map((h) => el("th", { scope: "col" }, h)))), el("tbody", {}, widths.map((w) => el("tr", {}, [w.epoch, w.value, w.direction, w.bits2, w.bits4, w.bits8].map((v) => el("td", {}, number(v)))))))),
          ]
        : []),
    ];
  }

  function settings() {
    return el(
      "details",
      {},
      el("summary", {}, "Settings and results"),
      el("table", {}, el("tbody", {}, Object.entries(run.values).map(([key, value]) => el("tr", {}, el("th", { scope: "row" }, key), el("td", {}, number(value)))))),
    );
  }

  function watch(from) {
    unfollow = follow(id, from, {
      metrics(more) {
        append(columns, more);
        drawCards();
        drawCharts();
      },
      live(records) {
        workers = records;
        drawLive();
      },
      async end(how) {
        state = how;
        try {
          await show(view, { place, path, parameters, say });
          say(`The run is ${how}.`);
        } catch {
          drawCards();
          say(`The run is ${how}, and its page went with it; heddle ui shows it again.`);
        }
      },
      lost(at) {
        say("The run's process is gone, or busy; trying again.", true);
        setTimeout(() => view.contains(cards) && watch(at), 3000);
      },
    });
  }

  view.replaceChildren(
    el("h1", {}, id),
    cards,
    el("div", { class: "bar-of-tools" }, el("label", { for: "over" }, "Curves over"), over, end),
    charts,
    live,
    ...past(),
    settings(),
  );
  drawCards();
  drawCharts();
  drawLive();
  if (state === "running") {
    watch(first.next);
  }
  return () => unfollow();
}
