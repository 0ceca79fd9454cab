// What the threads of every worker did in the last seconds, on a canvas: a row for each thread.
import { COLOURS } from "./charts.js";
import { el, number, numbers } from "./dom.js";

const ROW = 18;
const LEFT = 120;

/** Seconds that are shown at first, and the least and most. */
const WINDOW = 5;

/** A timeline that is drawn again for each new record of the workers; keys + and − change its scale. */
export function timeline() {
  const canvas = el("canvas", { class: "timeline", tabindex: "0", role: "img", "aria-label": "Timeline of all threads; plus and minus change the time shown" });
  const legend = el("ul", { class: "legend" });
  const behind = el("div");
  const stages = [];
  let seconds = WINDOW;
  let workers = [];

  function colour(stage) {
    if (!stages.includes(stage)) {
      stages.push(stage);
      const mark = el("i");
      mark.style.background = COLOURS[(stages.length - 1) % COLOURS.length];
      legend.append(el("li", {}, mark, stage));
    }
    return COLOURS[stages.indexOf(stage) % COLOURS.length];
  }

  function draw() {
    const lanes = workers.flatMap((w) => w.threads.map((t) => ({ name: `${w.worker} ${t.thread}`, spans: t.spans })));
    const ratio = window.devicePixelRatio || 1;
    const width = Math.max(300, canvas.clientWidth);
    const height = lanes.length * ROW + 20;
    canvas.style.height = `${height}px`;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    pen.font = "12px system-ui, sans-serif";
    const end = Math.max(0, ...lanes.flatMap((lane) => lane.spans.map((span) => span[5])));
    const first = Math.min(end, ...lanes.flatMap((lane) => lane.spans.map((span) => span[4])));
    const begin = Math.max(0, first, end - seconds);
    const x = (time) => LEFT + ((time - begin) / Math.max(1e-9, end - begin)) * (width - LEFT - 4);
    lanes.forEach((lane, i) => {
      const y = i * ROW;
      pen.fillStyle = style.getPropertyValue("--text");
      pen.fillText(lane.name, 4, y + 13, LEFT - 8);
      // Spans end before those around them: outer ones are drawn first, so that inner ones show.
      for (const span of [...lane.spans].reverse()) {
        if (span[5] >= begin) {
          const from = x(Math.max(begin, span[4]));
          pen.globalAlpha = span[1] === "busy" ? 1 : 0.3;
          pen.fillStyle = colour(span[0]);
          pen.fillRect(from, y + 2, Math.max(1, x(span[5]) - from), ROW - 4);
        }
      }
      pen.globalAlpha = 1;
    });
    pen.fillStyle = style.getPropertyValue("--faint");
    pen.fillText(`the last ${number(end - begin)} s; pale: waiting`, LEFT, lanes.length * ROW + 14);
    behind.replaceChildren(
      numbers(
        "timeline",
        ["worker and thread", "stage", "time", "epoch", "item", "begin s", "end s"],
        lanes.flatMap((lane) => lane.spans.map((span) => [lane.name, ...span])),
      ),
    );
  }

  function zoom(factor) {
    seconds = Math.min(120, Math.max(0.05, seconds * factor));
    draw();
  }

  canvas.addEventListener("keydown", (event) => {
    if (event.key === "+" || event.key === "=" || event.key === "-") {
      zoom(event.key === "-" ? 2 : 0.5);
      event.preventDefault();
    }
  });
  const tools = el("div", { class: "bar-of-tools" }, el("button", { type: "button", click: () => zoom(0.5) }, "Shorter"), el("button", { type: "button", click: () => zoom(2) }, "Longer"));
  return {
    element: el("figure", {}, el("figcaption", {}, "Timeline"), legend, canvas, tools, behind),
    show(records) {
      workers = records;
      draw();
    },
  };
}
