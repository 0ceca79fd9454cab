// Curves over epochs, seconds or bytes, by uPlot, with the numbers behind them.
/* global uPlot */
import { el, numbers } from "./dom.js";

/** Told apart by people who see red and green alike, on white and on black. */
export const COLOURS = ["#3b6fb6", "#d9822b", "#2a9d8f", "#b5479b", "#8a8d29", "#7a5bd0", "#c4473d", "#4f9bd9", "#6b7280", "#94651f"];

function axis() {
  const style = getComputedStyle(document.documentElement);
  const line = style.getPropertyValue("--line");
  return { stroke: style.getPropertyValue("--text"), grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
}

/**
 * A chart of several curves.
 *
 * series: [{name, xs, ys}], with null where a curve has no number.
 */
export function chart(title, xLabel, series) {
  const figure = el("figure", {}, el("figcaption", {}, title));
  const known = series.filter((s) => s.ys.some((y) => y != null));
  if (known.length === 0) {
    figure.append(el("p", { class: "faint" }, "no numbers yet"));
    return figure;
  }
  const tables = known.map((s) => {
    const points = s.xs.map((x, i) => [x, s.ys[i]]).filter(([x, y]) => x != null && y != null);
    points.sort((a, b) => a[0] - b[0]);
    return [points.map((p) => p[0]), points.map((p) => p[1])];
  });
  const joined = tables.length === 1 ? tables[0] : uPlot.join(tables);
  const place = el("div", { role: "img", "aria-label": `${title} over ${xLabel}: ${known.map((s) => s.name).join(", ")}` });
  figure.append(place);
  const options = {
    width: 520,
    height: 260,
    scales: { x: { time: false } },
    axes: [{ ...axis(), label: xLabel }, axis()],
    series: [
      { label: xLabel },
      ...known.map((s, i) => ({ label: s.name, stroke: COLOURS[i % COLOURS.length], width: 2, dash: i >= COLOURS.length ? [6, 4] : undefined, spanGaps: true, points: { show: tables[i][0].length < 40 } })),
    ],
  };
  const plot = new uPlot(options, joined, place);
  const fit = () => plot.setSize({ width: Math.max(280, place.clientWidth), height: 260 });
  new ResizeObserver(fit).observe(place);
  const rows = joined[0].map((x, i) => [x, ...joined.slice(1).map((ys) => ys[i])]);
  figure.append(numbers(`${title} over ${xLabel}`.replaceAll(" ", "-"), [xLabel, ...known.map((s) => s.name)], rows));
  return figure;
}

/** What curves may be drawn over. */
export const AXES = ["epochs", "seconds", "bytes sent"];

/** The places of epochs on an axis; bytes are the run's mean of an epoch, times epochs. */
export function positions(axisName, columns, bytesPerEpoch) {
  if (axisName === "epochs") {
    return columns.epoch ?? [];
  }
  if (axisName === "seconds") {
    let sum = 0;
    return (columns.seconds ?? []).map((s) => (sum += s ?? 0));
  }
  return (columns.epoch ?? []).map((e) => (bytesPerEpoch == null ? null : e * bytesPerEpoch));
}
