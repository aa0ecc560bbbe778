// The cells to fix of an import as a grid: Enter goes to the next one that needs it and never sends the form, the arrow keys
// stay in the column, Escape takes a cell back, a pasted block fills several, and after the check the focus is where it was.

import { announce } from "live_regions";
import { find, storage } from "page";

const form = find("form[data-import-cells]");
const isCell = (field) => field.matches?.("table.to-fix [name^=cell-]");
const cells = () => [...form.querySelectorAll(".to-fix [name^=cell-]")];
const placeOf = (field) => ({ row: field.closest("tr").rowIndex, column: field.closest("td").cellIndex });

// --- Rules without the page ---

// The index of the next cell below or above the one at `at`, among places {row, column} in reading order; -1 for none.
export function inColumn(places, at, step) {
  const { row, column } = places[at];
  return step > 0
    ? places.findIndex((place) => place.column === column && place.row > row)
    : places.findLastIndex((place) => place.column === column && place.row < row);
}

// The rows of a pasted block, each a list of texts; one row of one text for anything else.
export function blockOf(text) {
  return text
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map((line) => line.split("\t").map((part) => part.trim()));
}

// Which cell takes which text: pairs [index, text]. The rows of the block go to the rows that have a cell in the first
// column, beginning with the cell at `at`; a text whose place is no cell is left out.
export function filled(places, at, block) {
  const { row: first, column } = places[at];
  const rows = places.filter((place) => place.column === column && place.row >= first).map((place) => place.row);
  const pairs = block.flatMap((texts, down) => texts.map((text, right) => [rows[down], column + right, text]));
  return pairs
    .map(([row, across, text]) => [places.findIndex((place) => place.row === row && place.column === across), text])
    .filter(([index]) => index >= 0);
}

// --- The page ---

// Sets a field to a text; a select to the choice of that word or code. False if there is no such choice.
function setValue(field, text) {
  if (!field.options) {
    field.value = text;
    return true;
  }
  const said = (option) => [option.text, option.value].some((word) => word.toLowerCase() === text.toLowerCase());
  const chosen = [...field.options].find(said);
  if (chosen) field.value = chosen.value;
  return Boolean(chosen);
}

const valueBefore = (field) => (field.options ? field.options[0].value : field.defaultValue);
const needsFixing = (field) => field.ariaInvalid === "true" && field.value === valueBefore(field);

function showMended() {
  const wrong = cells().filter((field) => field.ariaInvalid === "true");
  for (const field of cells()) field.classList.toggle("mended", field.value !== valueBefore(field));
  const done = wrong.length - wrong.filter(needsFixing).length;
  const progress = find("[data-mended]");
  if (progress) progress.textContent = `${done} of ${wrong.length} changed`;
}

function focusOn(field) {
  field.focus();
  field.select?.();
}

// The next cell that needs fixing, in reading order; after the last one, the button that checks.
function goOn(field) {
  const all = cells();
  focusOn(all.slice(all.indexOf(field) + 1).find(needsFixing) ?? find(".savebar [value=check]"));
}

function goAlong(field, step) {
  const all = cells();
  const next = all[inColumn(all.map(placeOf), all.indexOf(field), step)];
  if (next) focusOn(next);
}

function setBack(field) {
  field.value = valueBefore(field);
  focusOn(field);
  showMended();
}

// True if the key has been used. In a select the arrows choose; in a text of several lines, Shift and Enter begin a new one.
function handled({ key, shiftKey, target }) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (key === "Enter" && !(shiftKey && target.matches("textarea"))) goOn(target);
  else if (step && !target.options) goAlong(target, step);
  else if (key === "Escape" && target.value !== valueBefore(target)) setBack(target);
  else return false;
  return true;
}

function paste(event) {
  const block = blockOf(event.clipboardData.getData("text/plain"));
  if (!isCell(event.target) || (block.length === 1 && block[0].length === 1)) return;
  event.preventDefault();
  const all = cells();
  const pairs = filled(all.map(placeOf), all.indexOf(event.target), block);
  const set = pairs.filter(([index, text]) => setValue(all[index], text));
  showMended();
  const left = block.flat().length - set.length;
  announce(`${set.length} cells filled.${left ? ` ${left} did not fit a cell that needs fixing.` : ""}`);
}

// The cell of this name, else the next one that is to be fixed, else the button that goes on.
function focusAgain(name) {
  const order = (field) => Number(field.name.split("-")[1]);
  const row = Number(name.split("-")[1]);
  const all = cells();
  const field = all.find((one) => one.name === name) ?? all.find((one) => order(one) >= row) ?? all[0];
  focusOn(field ?? find(".savebar [value=send]") ?? find(".savebar button"));
}

let last; // the name of the cell that had the focus last

function begin() {
  const place = `import:${location.pathname}`;
  const before = storage?.getItem(place);
  storage?.removeItem(place);
  if (isCell(document.activeElement)) last = document.activeElement.name; // it was focused before this module was there
  document.addEventListener("focusin", ({ target }) => {
    if (isCell(target)) last = target.name;
  });
  form.addEventListener("submit", ({ submitter }) => {
    if (last && (!submitter || submitter.value === "check")) storage?.setItem(place, last);
  });
  showMended();
  form.addEventListener("paste", paste);
  form.addEventListener("input", ({ target }) => isCell(target) && showMended());
  form.addEventListener("keydown", (event) => {
    const bare = !event.ctrlKey && !event.altKey && !event.metaKey && !event.isComposing;
    if (bare && isCell(event.target) && handled(event)) event.preventDefault();
  });
  if (before) focusAgain(before);
}

if (form) begin();
