// Which view an address shows: #/runs, #/run/<id>, #/compare?runs=<id>,<id>.
import { show as compare } from "./compare.js";
import { show as run } from "./run.js";
import { show as runs } from "./runs.js";

const view = document.getElementById("view");
const place = document.getElementById("place");
const message = document.getElementById("message");
const VIEWS = { runs, run, compare };

let leave = () => {};

function say(text, bad = false) {
  message.textContent = text;
  message.className = bad ? "bad" : "";
}

async function open() {
  const [path, query] = (location.hash.slice(1) || "/runs").split("?");
  const [name, ...rest] = path.split("/").filter((part) => part).map(decodeURIComponent);
  const show = VIEWS[name];
  leave();
  leave = () => {};
  say("");
  if (!show) {
    say(`There is no view '${name}'.`, true);
    return;
  }
  try {
    leave = (await show(view, { place, path: rest, parameters: new URLSearchParams(query), say })) ?? (() => {});
    view.focus({ preventScroll: true });
  } catch (e) {
    view.replaceChildren();
    say(e.message, true);
  }
}

window.addEventListener("hashchange", open);
open();
