// Parts of a page that open, close, or show only with JavaScript.

import { onPage } from "page";

// A cell that is cut for want of room shows all of its text under the mouse, and initials their name.
document.addEventListener("mouseover", ({ target }) => {
  const part = target.closest?.(".disc, .one, .cut, .table .name");
  if (part && (part.matches(".disc") || part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight + 3)) part.title = part.textContent.trim();
});

onPage(() => {
  for (const part of document.querySelectorAll("[data-needs-js]")) part.hidden = false;
  for (const part of document.querySelectorAll("[data-needless]")) part.hidden = true;
});

// Panels that open from a button close on Escape and on a click elsewhere.

function closePanels(except) {
  for (const panel of document.querySelectorAll("details[data-panel][open]")) if (panel !== except) panel.open = false;
}

document.addEventListener("click", (event) => closePanels(event.target.closest?.("details[data-panel]")));
document.addEventListener("keydown", (event) => {
  const panel = event.key === "Escape" && event.target.closest?.("details[data-panel][open]");
  if (!panel) return;
  closePanels();
  panel.querySelector("summary").focus();
});

// Escape would empty a search field; it only closes what is open.
document.addEventListener("keydown", (event) => {
  const inLayer = event.target.closest?.("dialog, [popover]");
  if (event.key === "Escape" && !inLayer && event.target.matches?.("[type=search]")) event.preventDefault();
});
