// The contents of the panels of a list and of more fields of a form, which come when they are opened.

import { writeTyped } from "change_page";
import { fieldOf, holdKeys } from "keys";
import { find } from "page";

// Fields do without these until they are here.
import("picker");
import("days");

const requests = new WeakMap(); // under way, by the place of the contents

async function load(panel) {
  const place = find("[data-src]", panel);
  if (!place) return;
  if (!requests.has(place)) requests.set(place, request(place).catch(() => {})); // htmx_setup.js tells of it
  await requests.get(place);
  requests.delete(place);
}

// Fields of a form are drawn as the form has them, in hidden inputs.
function request(place) {
  const { src, draw } = place.dataset;
  const options = { target: place, swap: "outerHTML" };
  return draw ? window.htmx.ajax("POST", src, { ...options, source: place, values: { draw } }) : window.htmx.ajax("GET", src, options);
}

// Opens a panel by a key. What is typed into `held` meanwhile goes into the field that the key leads to; Escape takes `held`
// away, and closes the panel.
export async function openByKey(panel, selector, held) {
  await load(panel);
  const isHere = !find("[data-src]", panel);
  if (!held.isConnected || !isHere) panel.open = false;
  else if (document.activeElement === held) writeTyped(fieldOf(find(selector, panel)), held.value.replace(selector === "summary" ? /^\t/ : "", ""));
  if (held.isConnected && !isHere) find("summary", panel).focus();
  held.remove();
}

document.addEventListener("toggle", ({ target }) => target.open && load(target), true);
for (const panel of document.querySelectorAll("details[open]")) load(panel);

// More fields of a form by Enter or space. Who goes on to them with Tab before they are here means the first one.
document.addEventListener("click", ({ target, detail }) => {
  const panel = detail === 0 && target.closest?.("summary")?.parentElement;
  if (panel && !panel.open && find("[data-draw]", panel)) openByKey(panel, "summary", holdKeys());
});
