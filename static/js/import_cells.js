// The cells to fix of an import as a grid: arrow keys and Enter go from one to the next, a pasted block fills several, and
// after the check the focus is where it was. Without this module they are fields of a form, which Enter sends.

import { announce } from "live_regions";
import { find, storage } from "page";

const form = find("form[data-import-cells]");
const isCell = (field) => field.matches?.("table.to-fix [name^=cell-]");
const cells = () => [...form.querySelectorAll(".to-fix [name^=cell-]")];
const placeOf = (field) => ({ row: field.closest("tr").rowIndex, column: field.closest("td").cellIndex });

// --- Rules without the page ---

// The index of the cell that a key leads to from the one at `at`, among places {row, column} in reading order: in the same
// column, else in reading order; undefined where there is none.
export function cellAfter(places, at, step, { across = false } = {}) {
  const { row, column } = places[at];
  const along = places.findIndex((place) => place.column === column && place.row > row);
  const before = places.findLastIndex((place) => place.column === column && place.row < row);
  const found = across ? -1 : step > 0 ? along : before;
  const next = found < 0 ? at + step : found;
  return places[next] && next;
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

function go(field, step, options) {
  const all = cells();
  const next = cellAfter(all.map(placeOf), all.indexOf(field), step, options);
  if (next === undefined) return false;
  all[next].focus();
  all[next].select?.();
  return true;
}

const isAtEdge = (field, step) =>
  field.selectionStart === field.selectionEnd && field.selectionStart === (step < 0 ? 0 : field.value.length);

// True if the key has led to another cell. In a select the arrows choose.
function handled({ key, shiftKey, target }) {
  if (key === "Enter") return go(target, shiftKey ? -1 : 1);
  if (target.options) return false;
  if (key === "ArrowDown" || key === "ArrowUp") return go(target, key === "ArrowDown" ? 1 : -1);
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  return Boolean(step) && isAtEdge(target, step) && go(target, step, { across: true });
}

function paste(event) {
  const block = blockOf(event.clipboardData.getData("text/plain"));
  if (!isCell(event.target) || (block.length === 1 && block[0].length === 1)) return;
  event.preventDefault();
  const all = cells();
  const pairs = filled(all.map(placeOf), all.indexOf(event.target), block);
  const set = pairs.filter(([index, text]) => setValue(all[index], text));
  const left = block.flat().length - set.length;
  announce(`${set.length} cells filled.${left ? ` ${left} did not fit a cell that needs fixing.` : ""}`);
}

// The cell of this name, else the next one that is to be fixed, else the button that goes on.
function focusAgain(name) {
  const order = (field) => Number(field.name.split("-")[1]);
  const row = Number(name.split("-")[1]);
  const all = cells();
  const field = all.find((one) => one.name === name) ?? all.find((one) => order(one) >= row) ?? all[0];
  const goesOn = field ?? find(".savebar [value=send]") ?? find(".savebar button");
  goesOn.focus();
  goesOn.select?.();
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
  form.addEventListener("paste", paste);
  form.addEventListener("keydown", (event) => {
    const bare = !event.ctrlKey && !event.altKey && !event.metaKey && !event.isComposing;
    if (bare && isCell(event.target) && handled(event)) event.preventDefault();
  });
  if (before) focusAgain(before);
}

if (form) begin();
