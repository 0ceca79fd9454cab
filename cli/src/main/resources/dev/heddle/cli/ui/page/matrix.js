// Who sent how much to whom: a table with coloured cells.
import { bytes, el, numbers } from "./dom.js";

/** workers: live records, whose `sent` lists [kind, peer, bytes, messages]. */
export function matrix(workers, kind) {
  const kinds = [...new Set(workers.flatMap((w) => w.sent.map((flow) => flow[0])))].sort();
  const sent = workers.map((w) => workers.map((peer) => w.sent.filter((flow) => flow[1] === peer.worker && (kind === "all" || flow[0] === kind)).reduce((sum, flow) => sum + flow[2], 0)));
  const most = Math.max(1, ...sent.flat());
  const cell = (amount, from, to) => {
    const td = el("td", { title: `worker ${from} to ${to}: ${bytes(amount)}` }, amount ? bytes(amount) : "–");
    td.style.background = `color-mix(in srgb, var(--accent) ${Math.round((45 * amount) / most)}%, transparent)`;
    return td;
  };
  const table = el(
    "div",
    { class: "scrolls tall" },
    el(
      "table",
      { class: "matrix" },
      el("caption", { class: "faint" }, `Bytes from worker (row) to worker (column), ${kind === "all" ? "all kinds" : `kind ${kind}`}`),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "from \\ to"), workers.map((w) => el("th", { scope: "col" }, String(w.worker))))),
      el("tbody", {}, sent.map((row, i) => el("tr", {}, el("th", { scope: "row" }, String(workers[i].worker)), row.map((amount, j) => cell(amount, workers[i].worker, workers[j].worker))))),
    ),
  );
  const rows = workers.flatMap((w) => w.sent.map((flow) => [w.worker, flow[1], flow[0], flow[2], flow[3]]));
  return { kinds, element: el("div", {}, table, numbers("bytes-between-workers", ["from", "to", "kind", "bytes", "messages"], rows)) };
}
