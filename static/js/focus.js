// The focus after htmx has replaced a part: on the control that was pressed, which was replaced, else on that part.

import { announce } from "live_regions";
import { find } from "page";

let pressed; // of the request under way

const placeOf = (control) => `${control.closest("table, ul, nav, form")?.className} ${control.textContent.trim()}`;

document.addEventListener("htmx:beforeSwap", (event) => {
  const control = document.activeElement;
  pressed = event.detail.target.contains(control) ? placeOf(control) : undefined;
});

// htmx fires two events for each element that it removes, most of the time of a swap. Rows need none.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.shouldSwap && detail.target.matches("[data-results]")) find("tbody", detail.target)?.remove();
});

// Enter in a filter applies it and goes on to the first row.
let goesToRows = false;
document.addEventListener("submit", (event) => {
  goesToRows = event.target.id === "filters" && document.activeElement.matches("input");
});

function keepFocus(swapped) {
  const isSearched = goesToRows && swapped.matches("[data-results]");
  const row = isSearched && find("tbody th a", swapped);
  goesToRows = false;
  if (row) {
    row.focus();
    return;
  }
  if (document.activeElement !== document.body || (pressed === undefined && !isSearched)) return;
  const same = [...swapped.querySelectorAll("a[href], button")].find((control) => placeOf(control) === pressed);
  if (!same) swapped.tabIndex = -1;
  (same ?? swapped).focus({ preventScroll: true });
}

document.addEventListener("htmx:afterSettle", (event) => {
  find("[autofocus]", event.detail.elt)?.focus();
  keepFocus(event.detail.elt);
  const message = find("[data-announce]", event.detail.elt)?.textContent;
  if (message) announce(message);
});
