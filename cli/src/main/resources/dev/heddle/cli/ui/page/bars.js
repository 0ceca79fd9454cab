// Stacked bars: seconds by stage of runs or workers.
import { COLOURS } from "./charts.js";
import { el, number, numbers } from "./dom.js";

/** rows: [{name, parts: {stage: seconds}}], all drawn to one scale. */
export function bars(title, rows) {
  const stages = [...new Set(rows.flatMap((row) => Object.keys(row.parts)))];
  const total = (row) => stages.reduce((sum, stage) => sum + (row.parts[stage] ?? 0), 0);
  const most = Math.max(1e-9, ...rows.map(total));
  const colour = (stage) => COLOURS[stages.indexOf(stage) % COLOURS.length];
  const stack = (row) =>
    el(
      "div",
      { class: "stack", role: "img", "aria-label": stages.map((stage) => `${stage} ${number(row.parts[stage] ?? 0)} s`).join(", ") },
      stages.map((stage) => {
        const part = el("span", { title: `${stage} ${number(row.parts[stage] ?? 0)} s` });
        part.style.width = `${(100 * (row.parts[stage] ?? 0)) / most}%`;
        part.style.background = colour(stage);
        return part;
      }),
    );
  const legend = el(
    "ul",
    { class: "legend" },
    stages.map((stage) => {
      const mark = el("i");
      mark.style.background = colour(stage);
      return el("li", {}, mark, stage);
    }),
  );
  return el(
    "figure",
    {},
    el("figcaption", {}, title),
    legend,
    el("div", { class: "scrolls" }, el("table", {}, el("tbody", {}, rows.map((row) => el("tr", {}, el("th", { scope: "row" }, row.name), el("td", { class: "wide" }, stack(row)), el("td", { class: "number" }, `${number(total(row))} s`)))))),
    numbers(title.replaceAll(" ", "-"), ["", ...stages], rows.map((row) => [row.name, ...stages.map((stage) => row.parts[stage] ?? 0)])),
  );
}
