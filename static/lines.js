// The line table of a document by keyboard: adding, moving and removing lines with undo, and pasting cells. The server
// checks what is pasted and computes all sums. Without this module every action is a submit button (documents/_lines.html).

const MAX_LINES = 300;
const MAX_UNDO = 20;

const form = document.querySelector("[data-document]");
const section = () => form.querySelector("[data-lines]");
const table = () => section().querySelector("[data-line-table]");
const rows = () => [...table().tBodies]; // a line is a <tbody>: its row, and one with its errors
const rowOf = (element) => element.closest("tbody[data-line]");
const isHeaderRow = (row) => row.matches("[data-is-header]");
const cell = (row, name) => row?.querySelector(`[data-cell="${name}"]`);
const items = form?.itemList; // set by items.js, which the page loads before
const undoStack = []; // earlier states of the table, the latest last

// --- Rules without the page ---

// Where Enter goes from a cell with this text: "quantity", "price" (of an item without one), "next-line", or
// "add-button" from an empty item name, which ends the table.
export function cellAfterEnter(column, { isHeader, text, price }) {
  if (isHeader) return "next-line";
  if (column === "item_name" && !text.trim()) return "add-button";
  if (["item_name", "item_id", "description"].includes(column)) return "quantity";
  return column === "quantity" && !price.trim() ? "price" : "next-line";
}

// True if pasted text has several cells: a tab, or a line break between two texts.
export function isTable(text) {
  return /\t|\S\r?\n\s*\S/.test(text);
}

// The key of a new line: one more than the highest. Keys number the lines of a form and never change.
export function nextLineKey(keys) {
  return Math.max(-1, ...keys) + 1;
}

// The text of a discount with what the server understands of it: "10 off" for 10, "10 %" for 10%.
// (dashboard/documents/formset.py).
export function saidDiscount(text) {
  const bare = text.trim();
  return /\d$/.test(bare) ? `${bare} off` : bare.replace(/\s*(%|off)$/, " $1").trim();
}

const ALT_KEYS = { ArrowUp: "up", ArrowDown: "down", Enter: "below", Delete: "remove", Backspace: "remove", i: "number" };
const ALT_SHIFT_KEYS = { ArrowDown: "copy", Enter: "headerBelow" };

// The action on a line that a key with Alt stands for, or undefined.
export function lineAction({ key, shiftKey }) {
  return (shiftKey ? ALT_SHIFT_KEYS : ALT_KEYS)[key];
}

// --- Announcements and events ---

function announce(message) {
  section().querySelector("[data-lines-said]").textContent = message;
}

// Asks for the sums (htmx listens for the event).
function dispatchChange() {
  form.dispatchEvent(new CustomEvent("lines-changed", { bubbles: true }));
}

// --- Rows: labels are numbered by position, names and ids by the key of the line ---

function renumber() {
  rows().forEach((row, index) => {
    row.querySelector(".line-no span").textContent = index + 1;
    for (const field of row.querySelectorAll("[data-word]")) {
      field.setAttribute("aria-label", `${field.dataset.word}, line ${index + 1}`);
    }
  });
}

// A row from the page's template for a kind, "blank" or "header".
function makeRow(kind) {
  return copyOf(section().querySelector(`template[data-${kind}]`).content.querySelector("tbody"));
}

// A copy of a row with a key of its own in names and ids.
function copyOf(source) {
  const lineKey = nextLineKey(rows().map((row) => Number(row.dataset.line)));
  const copy = source.cloneNode(true);
  setValues(fieldsOf(copy), fieldsOf(source).map((field) => field.value));
  copy.dataset.line = lineKey;
  copy.querySelector("[name=line]").value = lineKey;
  for (const button of copy.querySelectorAll("[name=do]")) button.value = button.value.replace(/-.*/, `-${lineKey}`);
  for (const name of ["id", "name", "aria-describedby"]) {
    for (const element of copy.querySelectorAll(`[${name}^=line-]`)) {
      element.setAttribute(name, element.getAttribute(name).replace(/^line-[^-]*/, `line-${lineKey}`));
    }
  }
  prepare(copy);
  return copy;
}

// The description has a key, so its button is not on the way of Tab.
function prepare(part) {
  for (const summary of part.querySelectorAll(".line-text > summary")) summary.tabIndex = -1;
}

// --- Undo ---

const fieldsOf = (row) => [...row.querySelectorAll("[name]")];
const valuesOf = (row) => fieldsOf(row).map((field) => field.value);

function saveForUndo() {
  undoStack.push(rows().map((row) => ({ row, values: valuesOf(row) })));
  if (undoStack.length > MAX_UNDO) undoStack.shift();
  section().querySelector("[data-undo]").hidden = false;
}

function undo() {
  const state = undoStack.pop();
  if (!state) return;
  for (const row of rows()) row.remove();
  table().append(...state.map(({ row }) => row));
  for (const { row, values } of state) setValues(fieldsOf(row), values);
  section().querySelector("[data-undo]").hidden = !undoStack.length;
  finish(rows()[0], "Undone.");
}

function setValues(fields, values) {
  for (const [index, field] of fields.entries()) field.value = values[index];
}

// --- Actions on lines ---

function finish(row, message) {
  renumber();
  dispatchChange();
  announce(message);
  (cell(row, "item_name") ?? section().querySelector("button")).focus();
}

// Inserts a row that `make` returns before another one, or at the end if that is null. Says so if the table is full.
function insertRow(make, before, message) {
  if (rows().length >= MAX_LINES) {
    announce(`There are ${MAX_LINES} lines, which is the most.`);
    return;
  }
  saveForUndo();
  const row = make();
  table().insertBefore(row, before);
  finish(row, message);
}

const blank = () => makeRow("blank");
const header = () => makeRow("header");
const rowBelow = (row) => row.nextElementSibling;
const rowAbove = (row) => (row.previousElementSibling?.matches("[data-line]") ? row.previousElementSibling : null);

function moveRow(row, step) {
  const neighbour = step < 0 ? rowAbove(row) : rowBelow(row);
  if (!neighbour) return;
  saveForUndo();
  if (step < 0) neighbour.before(row);
  else neighbour.after(row);
  finish(row, step < 0 ? "Line moved up." : "Line moved down.");
}

const ACTIONS = {
  insert: (row) => insertRow(blank, row, "Line put in."),
  header: (row) => insertRow(header, row, "Header put in."),
  below: (row) => insertRow(blank, rowBelow(row), "Line put in."),
  headerBelow: (row) => insertRow(header, rowBelow(row), "Header put in."),
  add: () => insertRow(blank, null, "Line added."),
  copy: (row) => insertRow(() => copyOf(row), rowBelow(row), "Line duplicated."),
  number(row) {
    if (isHeaderRow(row)) return;
    row.classList.add("numbered");
    enter(cell(row, "item_id"));
  },
  up: (row) => moveRow(row, -1),
  down: (row) => moveRow(row, 1),
  remove(row) {
    saveForUndo();
    const next = rowBelow(row) ?? rowAbove(row);
    row.remove();
    if (!rows().length) table().append(blank());
    finish(next ?? rows()[0], "Line removed. Alt+Z brings it back.");
  },
};

// Keeps empty lines below the last one that is used.
function growBelow(row) {
  if (rowBelow(row) || rows().length >= MAX_LINES) return;
  table().append(blank());
  renumber();
}

// --- Keys ---

function handleEnter(input) {
  const row = rowOf(input);
  const values = { isHeader: isHeaderRow(row), text: input.value, price: cell(row, "price")?.value ?? "" };
  const target = cellAfterEnter(input.dataset.cell, values);
  if (target === "next-line") enterNextLine(row);
  else if (target === "add-button") section().querySelector("[value=add]").focus();
  else enter(cell(row, target));
}

function enterNextLine(row) {
  growBelow(row);
  enter(cell(rowBelow(row) ?? row, "item_name"));
}

function enter(input) {
  input.focus();
  input.select?.();
}

// Goes to the same column of the nearest row above or below that shows it.
function enterSameColumn(input, step) {
  let row = rowOf(input);
  do row = step < 0 ? rowAbove(row) : rowBelow(row);
  while (row && !cell(row, input.dataset.cell)?.offsetParent);
  if (row) enter(cell(row, input.dataset.cell));
}

function enterDescription(row) {
  const text = cell(row, "description");
  text.closest("details").open = true;
  text.focus();
}

// With Shift the description opens; in the description it begins a new line.
function enterCommand({ target, shiftKey }, isText) {
  if (!shiftKey) return () => handleEnter(target);
  return isText ? null : () => enterDescription(rowOf(target));
}

// What a key press in a cell does, as a function, or null if it is left to the browser.
function commandFor(event) {
  const input = event.target;
  if (event.altKey) {
    if (event.key.toLowerCase() === "z") return undoStack.length ? undo : null;
    const action = lineAction(event);
    return action ? () => ACTIONS[action](rowOf(input)) : null;
  }
  const isText = input.matches("textarea");
  if (event.key === "Enter") return enterCommand(event, isText);
  if (isText || input.matches("select")) return null;
  if (event.key === "ArrowUp") return () => enterSameColumn(input, -1);
  return event.key === "ArrowDown" ? () => enterSameColumn(input, 1) : null;
}

function handleKey(event) {
  if (event.isComposing || event.ctrlKey || event.metaKey) return;
  if (!event.altKey && items?.handleKey(event)) return;
  const command = commandFor(event);
  if (!command) return;
  event.preventDefault();
  command();
}

function enterFirstLine() {
  enter(cell(rows().find((row) => !cell(row, "item_name").value.trim()) ?? rows()[0], "item_name"));
}

// --- Buttons: performed here where possible, otherwise by the server, which sends the table again ---

function handleClick(event) {
  const button = event.target.closest("[data-lines] button[name=do]");
  if (!button || button.value === "last-lines") return; // last-lines reloads the whole page
  event.preventDefault();
  button.closest(".line-menu details")?.removeAttribute("open");
  performButton(button.value);
}

// A button's value is an action, with the key of its line behind a hyphen ("up-3").
function performButton(value) {
  const [action, lineKey] = value.split("-");
  const row = lineKey && rows().find((one) => one.dataset.line === lineKey);
  if (action === "undo" && undoStack.length) undo();
  else if (ACTIONS[action] && (row || action === "add")) ACTIONS[action](row);
  else askServer(value);
}

let sentLines; // the values of all lines as the server got them

const currentLines = () => JSON.stringify(rows().map(valuesOf));

function askServer(action, values = {}) {
  items?.close();
  sentLines = currentLines();
  const target = section();
  window.htmx.ajax("POST", target.dataset.linesUrl, { source: form, target, swap: "none", values: { do: action, ...values } });
}

// Replaces the table here because htmx compares every new id with every old one, which takes seconds for 300 lines.
// An answer that would overwrite what was typed since the request is dropped.
function replaceTable({ detail }) {
  if (!detail.successful || detail.pathInfo.requestPath !== section().dataset.linesUrl) return;
  if (currentLines() !== sentLines) {
    announce("The lines have changed in the meantime. Try that again.");
    return;
  }
  undoStack.length = 0; // the server's own undo takes over
  section().outerHTML = detail.xhr.responseText;
  prepareSection();
  (section().querySelector("[autofocus]") ?? cell(rows()[0], "item_name")).focus();
  document.dispatchEvent(new CustomEvent("announce", { detail: { value: pastedWords() } }));
  section().dispatchEvent(new Event("change", { bubbles: true })); // stores a draft
  dispatchChange();
}

// What the page says about pasted lines, for a screen reader: a region that comes with its words is not read.
const pastedWords = () => section().querySelector("[data-pasted] p, [data-lines-said]").textContent;

// What this module replaces goes, and what works with it only shows.
function prepareSection() {
  prepare(section());
  for (const part of form.querySelectorAll("[data-needless]")) part.hidden = true;
  for (const part of section().querySelectorAll("[data-needs-js]")) part.hidden = false;
}

function handlePaste(event) {
  const input = event.target.closest("[data-cell]");
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!input || input.matches("textarea") || !isTable(text)) return;
  event.preventDefault();
  askServer("paste-check", { pasted: text, at: rowOf(input).dataset.line, column: input.dataset.cell });
}

function handleChange({ target }) {
  if (target.matches("[data-cell=discount]")) target.value = saidDiscount(target.value);
  if (target.matches("[data-cell], [name^=overall_discount], [name^=org_currency_id]")) dispatchChange();
}

function handleInput({ target }) {
  if (!target.matches("[data-cell]")) return;
  growBelow(rowOf(target));
  if (target.matches(".number, .rate")) dispatchChange();
}

// --- Menus of lines close when the user clicks elsewhere or presses Escape ---

function closeOtherMenus(event) {
  for (const menu of form.querySelectorAll(".line-menu details[open]")) {
    if (!menu.contains(event.target)) menu.removeAttribute("open");
  }
}

function closeMenuOnEscape(event) {
  const menu = event.key === "Escape" && event.target.closest(".line-menu details[open]");
  if (!menu) return;
  menu.removeAttribute("open");
  menu.querySelector("summary").focus();
}

if (form) {
  prepareSection();
  form.enterLines = enterFirstLine; // for document_head.js
  form.addEventListener("keydown", (event) => event.target.matches("[data-cell]") && handleKey(event));
  form.addEventListener("keydown", closeMenuOnEscape);
  form.addEventListener("click", handleClick);
  form.addEventListener("paste", handlePaste);
  form.addEventListener("htmx:afterRequest", replaceTable);
  form.addEventListener("change", handleChange);
  form.addEventListener("input", handleInput);
  document.addEventListener("click", closeOtherMenus);
  if (items) {
    items.onTake = (row) => {
      dispatchChange();
      enter(cell(row, "quantity"));
    };
    items.onCreate = (row) => {
      ACTIONS.number(row);
      announce("Type the number that the item has in the service.");
    };
  }
}
