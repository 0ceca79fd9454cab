// The table of runs.
import { get } from "./api.js";
import { el, number } from "./dom.js";
import { filter } from "./filter.js";

/** What a run came to, which is worth seeing whether it differs or not. */
const RESULTS = ["epoch", "loss", "valid", "test", "epochSeconds.median", "sent.bytesPerEpoch"];

/** What differs between any two runs and says nothing. */
const NOISE = /^(out|started|heddle|best|train|trainSeconds|seconds|bestEpoch|epochSeconds\.|stageSeconds\.|peakMemoryBytes\.|exchange\.|fetched\.|sent\.|partition\.|model\.|graph\.|knobs\.)/;

/** More columns than this are not read; the filter still knows all keys. */
const MOST_COLUMNS = 14;

function columns(runs) {
  const seen = new Map();
  for (const run of runs) {
    for (const [key, value] of Object.entries(run.values)) {
      if (!NOISE.test(key) && !RESULTS.includes(key)) {
        const values = seen.get(key) ?? new Map();
        values.set(value, (values.get(value) ?? 0) + 1);
        seen.set(key, values);
      }
    }
  }
  const differing = [...seen].filter(([, values]) => {
    const counts = [...values.values()];
    return values.size > 1 || counts[0] < runs.length;
  });
  const results = RESULTS.filter((key) => runs.some((run) => run.values[key] != null));
  return { differing: differing.map(([key]) => key).slice(0, MOST_COLUMNS), left: Math.max(0, differing.length - MOST_COLUMNS), results };
}

function value(run, key) {
  return key === "run" ? run.id : key === "state" ? run.state : run.values[key];
}

function compared(a, b) {
  if (a == null || b == null) {
    return a == null ? (b == null ? 0 : 1) : -1;
  }
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}

export async function show(view, { place, parameters }) {
  place.textContent = "Runs";
  const listing = await get("runs");
  const chosen = new Set();
  let sort = parameters.get("sort") ?? "";
  let falling = parameters.get("order") === "falling";
  const search = el("input", { type: "search", id: "filter", placeholder: "model=gcn valid>0.8 wordnet", value: parameters.get("filter") ?? "" });
  const count = el("span", { class: "faint", role: "status" });
  const compare = el("button", { type: "button", disabled: true, click: () => (location.hash = `#/compare?runs=${[...chosen].map(encodeURIComponent).join(",")}`) }, "Compare");
  const table = el("div", { class: "scrolls tall", tabindex: "0", role: "region", "aria-label": "Table of runs" });

  function tick(run, box) {
    box.checked ? chosen.add(run.id) : chosen.delete(run.id);
    compare.disabled = chosen.size === 0;
    compare.textContent = chosen.size ? `Compare ${chosen.size}` : "Compare";
  }

  function heading(key, numeric) {
    const direction = sort === key ? (falling ? "descending" : "ascending") : "none";
    const mark = sort === key ? (falling ? " ↓" : " ↑") : "";
    const order = () => {
      falling = sort === key ? !falling : false;
      sort = key;
      draw();
      table.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
    };
    return el("th", { scope: "col", "aria-sort": direction, class: numeric ? "number" : "" }, el("button", { type: "button", "data-key": key, click: order }, key + mark));
  }

  function row(run, keys) {
    const box = el("input", { type: "checkbox", "aria-label": `Choose ${run.id}`, change: (event) => tick(run, event.target) });
    box.checked = chosen.has(run.id);
    return el(
      "tr",
      {},
      el("td", {}, box),
      el("td", {}, el("a", { href: `#/run/${run.id}` }, run.id)),
      el("td", { class: `state-${run.state}` }, run.state),
      keys.map((key) => el("td", { class: typeof run.values[key] === "number" ? "number" : "", title: run.values[key] ?? "" }, number(run.values[key]))),
    );
  }

  function draw() {
    const runs = listing.runs.filter(filter(search.value));
    if (sort) {
      runs.sort((a, b) => compared(value(a, sort), value(b, sort)) * (falling ? -1 : 1));
    }
    const { differing, left, results } = columns(runs);
    const keys = [...results, ...differing];
    const read = `${listing.runs.length} of ${listing.found} runs read`;
    count.textContent = `${runs.length} shown, ${read}${left ? `; ${left} more keys differ` : ""}`;
    table.replaceChildren(
      el(
        "table",
        { id: "runs" },
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "✓"), heading("run"), heading("state"), keys.map((key) => heading(key, results.includes(key))))),
        el("tbody", {}, runs.map((run) => row(run, keys))),
      ),
    );
  }

  search.addEventListener("input", draw);
  view.replaceChildren(...[
    el("h1", {}, "Runs"),
    el("p", { class: "faint" }, listing.root),
    el("div", { class: "bar-of-tools" }, el("label", { for: "filter" }, "Filter"), search, compare, count),
    listing.problems.length
      ? el("details", {}, el("summary", {}, `${listing.problems.length} could not be read`), el("ul", {}, listing.problems.map((p) => el("li", {}, `${p.id}: ${p.why}`))))
      : null,
    listing.found ? table : el("p", {}, "There is no run here yet: heddle train makes one."),
  ].filter((part) => part != null));
  draw();
}
