// Elements from plain values. Text is always text: nothing that comes from a run is read as markup.

/** An element: el("td", {class: "number"}, "12"). Attributes that are functions are listeners. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name, value);
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== false && value != null) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.flat().filter((child) => child != null));
  return element;
}

/** A number as people read it: few digits, and thousands where there are many. */
export function number(value) {
  if (typeof value !== "number" || Number.isNaN(value)) {
    return value == null ? "" : String(value);
  }
  if (Number.isInteger(value)) {
    return value.toLocaleString("en");
  }
  const size = Math.abs(value);
  return size >= 1000 ? Math.round(value).toLocaleString("en") : size >= 0.001 ? String(Number(value.toPrecision(5))) : value.toExponential(2);
}

/** Bytes in the unit that suits them. */
export function bytes(value) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let size = value;
  let unit = 0;
  while (Math.abs(size) >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${unit === 0 ? size : size.toFixed(size < 10 ? 2 : 1)} ${units[unit]}`;
}

/** Seconds, minutes or hours. */
export function duration(seconds) {
  if (seconds < 600) {
    return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  }
  const minutes = Math.round(seconds / 60);
  return minutes < 600 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** Hands text over as a file. */
export function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  URL.revokeObjectURL(address);
}

/** A cell of a CSV file. */
function cell(value) {
  const text = value == null ? "" : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows as CSV. */
export function csv(header, rows) {
  return [header, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

/** The numbers behind a picture, as a table and as a file. */
export function numbers(name, header, rows) {
  const shown = rows.length > 500 ? rows.slice(rows.length - 500) : rows;
  const table = () =>
    el(
      "div",
      { class: "scrolls tall" },
      el(
        "table",
        {},
        el("thead", {}, el("tr", {}, header.map((h) => el("th", { scope: "col" }, h)))),
        el("tbody", {}, shown.map((row) => el("tr", {}, row.map((v) => el("td", { class: "number" }, number(v)))))),
      ),
    );
  const details = el("details", {}, el("summary", {}, rows.length > shown.length ? `Numbers (the last ${shown.length})` : "Numbers"));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) {
      details.append(el("button", { type: "button", click: () => download(`${name}.csv`, csv(header, rows)) }, "Save as CSV"), table());
    }
  });
  return details;
}
