// Changes one field where its value stands, on the page of a record and in the cells of a list: Enter or a double click opens
// it, Enter saves, Escape leaves it as it was, Tab saves and goes on to the next one. The form is that of the field in the
// edit page, which comes by htmx; one is open at a time. Without this module its link opens the whole form.

import { find, make, SITE } from "page";

const STORE_URL = `${SITE}unfinished/keep/`;
const NOT_TYPED = ["csrfmiddlewaretoken", "token", "draft", "snapshot"];
const CONTROLS = ".field :is(input:not([type=hidden]), select, textarea)";

const openForm = () => find("[data-place] > .in-place");
const placeOf = (part) => part.closest?.("[data-place], td.changes");
const places = () => [...document.querySelectorAll("[data-place], td.changes")].filter((place) => place.checkVisibility());

const shown = new WeakMap(); // place -> what stood in it before its form
const openedWith = new WeakMap(); // place -> what its form held then
let next = null; // the place to open once the form is saved

// The place after one in a list of places, or before it; undefined at the end.
export function placeAfter(all, place, { back }) {
  const at = all.indexOf(place);
  return at < 0 ? undefined : all[at + (back ? -1 : 1)];
}

const typed = (form) => new URLSearchParams([...new FormData(form)].filter(([name]) => !NOT_TYPED.includes(name))).toString();
const isChanged = (form) => typed(form) !== openedWith.get(form.parentElement);

// --- Opening, leaving, saving ---

function addressOf(cell) {
  const { field, unit } = cell.closest("table").tHead.rows[0].cells[cell.cellIndex].dataset;
  const params = new URLSearchParams({ field, cell: "1", ...(unit && { unit }) });
  return `${find("th a", cell.parentElement).pathname}edit/?${params}`;
}

function open(place) {
  if (place.matches("td")) {
    place.dataset.place = "";
    place.tabIndex = -1;
    window.htmx.ajax("GET", addressOf(place), { target: place, swap: "innerHTML" }).catch(() => {}); // htmx_setup.js tells of it
  } else {
    find(".pencil", place).click();
  }
}

function focusPlace(place) {
  if (place.matches("td")) place.tabIndex = -1;
  (find(".pencil", place) ?? place).focus();
}

function leave(form) {
  const place = form.parentElement;
  place.replaceChildren(...shown.get(place));
  window.htmx.process(place);
  return place;
}

function save(form) {
  form.requestSubmit(find("[type=submit]", form));
}

// Leaves the form that is open, or saves it if something was typed, and opens the other place then.
function goOn(form, place) {
  if (isChanged(form)) {
    next = place;
    save(form);
  } else {
    leave(form);
    open(place);
  }
}

function openOrGoOn(place) {
  const form = openForm();
  if (form?.parentElement === place) return;
  if (form) goOn(form, place);
  else open(place);
}

// --- What htmx brings ---

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const place = detail.target;
  if (!detail.shouldSwap || !place.matches("[data-place]") || find(".in-place", place)) return;
  const other = openForm();
  if (other && isChanged(other)) detail.shouldSwap = false; // this one was asked for before the other had come
  else if (other) leave(other);
  if (!detail.shouldSwap) return;
  for (const note of document.querySelectorAll(".saved")) if (!place.contains(note)) note.remove();
  shown.set(place, [...place.childNodes].filter((node) => !node.classList?.contains("saved")));
  openedWith.delete(place);
  place.replaceChildren();
});

document.addEventListener("htmx:afterSwap", ({ detail }) => {
  const form = detail.target.matches("[data-place]") && find(".in-place", detail.target);
  if (form && !openedWith.has(detail.target)) openedWith.set(detail.target, typed(form));
});

document.addEventListener("htmx:afterSettle", ({ detail }) => {
  const place = detail.target;
  if (!place?.matches("[data-place]")) return;
  const form = find(".in-place", place);
  const after = next;
  next = null;
  if (!form) {
    if (after) open(after);
    else focusPlace(place);
    return;
  }
  if (place.closest("details")) place.closest("details").open = true;
  const control = find(CONTROLS, form);
  control?.focus();
  control?.select?.();
});

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (!detail.successful) next = null;
});

// The answer is a page: the choice between two versions, for one. Nothing was sent.
document.addEventListener("post-whole", ({ target }) => target.closest("form").submit());

// --- Keys and presses ---

document.addEventListener("dblclick", ({ target }) => {
  const place = placeOf(target);
  // An email address and a number are links, on which the first click opens another program.
  if (place && !target.closest("a:not([href^='mailto:'], [href^='tel:']), button, form")) openOrGoOn(place);
});

document.addEventListener(
  "click",
  (event) => {
    const form = openForm();
    if (!form) return;
    const pencil = event.target.closest?.(".pencil");
    const leaving = event.target.closest?.("[data-leave]");
    if (leaving) focusPlace(leave(leaving.closest(".in-place")));
    else if (pencil && isChanged(form)) goOn(form, placeOf(pencil));
    else {
      if (pencil) leave(form);
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  true,
);

function tab(event, form) {
  const controls = [...form.querySelectorAll(CONTROLS)];
  if (event.target !== controls.at(event.shiftKey ? 0 : -1)) return;
  const place = form.parentElement;
  const after = placeAfter(places(), place, { back: event.shiftKey });
  if (after) goOn(form, after);
  else if (isChanged(form)) save(form);
  else focusPlace(leave(form));
  event.preventDefault();
}

function pressedInForm(event, form) {
  if (event.key === "Tab") tab(event, form);
  if (event.key === "Escape") focusPlace(leave(form));
  if (event.key === "Enter" && event.target.matches("select")) {
    event.preventDefault();
    save(form);
  }
}

// In a list the right arrow goes from the name of the row into its cells.
function pressedInRow(event) {
  const row = event.target.closest("tr");
  const link = find("th a", row);
  const cells = [link, ...[...row.querySelectorAll("td.changes")].filter((cell) => cell.checkVisibility())];
  const at = cells.indexOf(event.target);
  if (at < 0 || event.altKey || event.shiftKey) return;
  const sideways = { ArrowRight: cells[at + 1], ArrowLeft: cells[at - 1], Escape: at && link }[event.key];
  const above = { ArrowUp: row.previousElementSibling, ArrowDown: row.nextElementSibling }[event.key];
  const to = sideways || (at && above?.cells[event.target.cellIndex]);
  if (at && event.key === "Enter") openOrGoOn(event.target);
  else if (to) focusPlace(to);
  else return;
  event.preventDefault();
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey) return;
  const form = event.target.closest?.(".in-place");
  if (form) pressedInForm(event, form);
  else if (event.target.closest?.("[data-results] tbody tr")) pressedInRow(event);
});

// What is typed is kept as unfinished where the page is left, and where the rows of its list are replaced.
function keepTyped() {
  const form = openForm();
  if (!form || form.hasAttribute("data-sent") || !isChanged(form)) return false;
  const fields = new URLSearchParams([...new FormData(form)].filter(([name]) => !["csrfmiddlewaretoken", "token"].includes(name)));
  return navigator.sendBeacon(STORE_URL, fields);
}

function tellKept() {
  const link = make("a", { href: `${SITE}unfinished/`, textContent: "Unfinished" });
  const words = make("p", {}, "What you typed in the list is kept under ", link, ".");
  find("#messages").replaceChildren(make("div", { className: "notice" }, words));
}

addEventListener("pagehide", keepTyped);
document.addEventListener("page-left", keepTyped); // change_page.js
// While the event is on its way to the rows: on its way back focus.js has taken them out already.
document.addEventListener(
  "htmx:beforeSwap",
  ({ detail }) => {
    const isReplaced = detail.shouldSwap && detail.target.matches("[data-results]") && detail.target.contains(openForm());
    if (isReplaced && keepTyped()) tellKept();
  },
  true,
);
