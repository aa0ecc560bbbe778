// The contents of the panels of a list, which come when a panel is opened.

import { writeTyped } from "change_page";
import { fieldOf } from "keys";
import { find } from "page";

// Fields do without these until they are here.
import("picker");
import("days");

const requests = new WeakMap(); // under way, by the place of the contents

async function load(panel) {
  const place = find("[data-src]", panel);
  if (!place) return;
  const options = { target: place, swap: "outerHTML" };
  if (!requests.has(place)) requests.set(place, window.htmx.ajax("GET", place.dataset.src, options).catch(() => {})); // htmx_setup.js tells of it
  await requests.get(place);
  requests.delete(place);
}

// Opens a panel by a key. What is typed into `held` meanwhile goes into the field that the key leads to; Escape takes `held`
// away, and closes the panel.
export async function openByKey(panel, key, held) {
  await load(panel);
  if (!held.isConnected || find("[data-src]", panel)) panel.open = false;
  else if (document.activeElement === held) writeTyped(fieldOf(find(`[data-key=${key}]`, panel)), held.value);
  held.remove();
}

document.addEventListener("toggle", ({ target }) => target.open && load(target), true);
for (const panel of document.querySelectorAll("details[data-panel][open]")) load(panel);
