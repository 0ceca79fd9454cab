// Chosen runs side by side.
import { get } from "./api.js";
import { bars } from "./bars.js";
import { AXES, chart, positions } from "./charts.js";
import { el, number } from "./dom.js";

const CURVES = ["loss", "train", "valid", "test"];

export async function show(view, { place, parameters }) {
  const ids = (parameters.get("runs") ?? "").split(",").filter((id) => id).map(decodeURIComponent);
  place.textContent = `Comparing ${ids.length} runs`;
  const runs = await Promise.all(ids.map(async (id) => ({ ...(await get("run", { id })), columns: (await get("metrics", { id })).columns })));
  const charts = el("div", { class: "charts" });
  const over = el("select", { id: "over", change: draw }, AXES.map((name) => el("option", {}, name)));

  function draw() {
    charts.replaceChildren(
      ...CURVES.filter((curve) => runs.some((run) => run.columns[curve])).map((curve) =>
        chart(curve, over.value, runs.map((run) => ({ name: run.id, xs: positions(over.value, run.columns, run.values["sent.bytesPerEpoch"]), ys: run.columns[curve] ?? [] }))),
      ),
    );
  }

  const keys = [...new Set(runs.flatMap((run) => Object.keys(run.values)))].filter((key) => new Set(runs.map((run) => JSON.stringify(run.values[key]))).size > 1);
  view.replaceChildren(
    el("h1", {}, "Comparison"),
    el("div", { class: "bar-of-tools" }, el("label", { for: "over" }, "Curves over"), over),
    charts,
    el("h2", {}, "Where the seconds of the first worker went"),
    bars("seconds by stage", runs.filter((run) => run.summary?.stageSeconds).map((run) => ({ name: run.id, parts: run.summary.stageSeconds }))),
    el("h2", {}, "What differs"),
    el(
      "div",
      { class: "scrolls tall", tabindex: "0", role: "region", "aria-label": "What differs" },
      el(
        "table",
        {},
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "key"), runs.map((run) => el("th", { scope: "col" }, el("a", { href: `#/run/${run.id}` }, run.id))))),
        el("tbody", {}, keys.map((key) => el("tr", {}, el("th", { scope: "row" }, key), runs.map((run) => el("td", {}, number(run.values[key])))))),
      ),
    ),
  );
  draw();
}
