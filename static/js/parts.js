// Parts of a page that open, close, or show only with JavaScript.

import { onPage } from "page";

// Under the mouse a cell that is cut shows all of its text, initials their name, and a button its key.
document.addEventListener("mouseover", ({ target }) => {
  const part = target.closest?.(".disc, .one, .cut, .table .name, .button:has(> kbd)");
  if (!part) return;
  const keys = [...part.querySelectorAll("kbd")].map((key) => key.textContent).join(" ");
  const isCut = part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight + 3;
  if (keys || isCut || part.matches(".disc")) part.title ||= keys ? `Key: ${keys}` : part.textContent.trim();
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
