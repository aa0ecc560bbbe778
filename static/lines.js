// The line table of a document by keyboard: adding, moving and removing lines with undo, and pasting cells. The server
// checks what is pasted and computes all sums. Without this module every action is a submit button (records/_lines.html).

const MAX_LINES = 300;
const MAX_UNDO = 20;

const form = document.querySelector("[data-document]");
const section = () => form.querySelector("[data-lines]");
const body = () => section().querySelector("[data-line-table] tbody");
const rows = () => [...body().rows];
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

const ALT_KEYS = { ArrowUp: "up", ArrowDown: "down", Enter: "below", Delete: "remove", Backspace: "remove" };
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

// A row from the page's template for a kind, "blank" or "header", with its own key in names and ids.
function makeRow(kind) {
  const lineKey = nextLineKey(rows().map((row) => Number(row.dataset.line)));
  const row = section().querySelector(`template[data-${kind}]`).content.querySelector("tr").cloneNode(true);
  row.dataset.line = lineKey;
  for (const element of row.querySelectorAll("*")) {
    for (const { name, value } of [...element.attributes]) {
      if (/KEY|HDR/.test(value)) element.setAttribute(name, value.replace(/KEY|HDR/g, lineKey));
    }
  }
  return row;
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
  body().replaceChildren(...state.map(({ row }) => row));
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

// Inserts a new row before another one, or at the end if that is null. Returns null if the table is full.
function insertRow(kind, before, message) {
  if (rows().length >= MAX_LINES) {
    announce(`There are ${MAX_LINES} lines, which is the most.`);
    return null;
  }
  saveForUndo();
  const row = makeRow(kind);
  body().insertBefore(row, before);
  finish(row, message);
  return row;
}

function moveRow(row, step) {
  const neighbour = step < 0 ? row.previousElementSibling : row.nextElementSibling;
  if (!neighbour) return;
  saveForUndo();
  if (step < 0) neighbour.before(row);
  else neighbour.after(row);
  finish(row, step < 0 ? "Line moved up." : "Line moved down.");
}

const lineFields = (row) => [...row.querySelectorAll("[name^=line-]")];

const ACTIONS = {
  insert: (row) => insertRow("blank", row, "Line put in."),
  header: (row) => insertRow("header", row, "Header put in."),
  below: (row) => insertRow("blank", row.nextElementSibling, "Line put in."),
  headerBelow: (row) => insertRow("header", row.nextElementSibling, "Header put in."),
  add: () => insertRow("blank", null, "Line added."),
  up: (row) => moveRow(row, -1),
  down: (row) => moveRow(row, 1),
  copy(row) {
    const kind = row.matches(".line-header") ? "header" : "blank";
    const copy = insertRow(kind, row.nextElementSibling, "Line duplicated.");
    if (!copy) return;
    const sources = lineFields(row);
    for (const [index, field] of lineFields(copy).entries()) {
      const options = [...(sources[index].options ?? [])].map((option) => option.cloneNode(true));
      if (options.length) field.replaceChildren(...options); // of a select
      field.value = sources[index].value;
    }
    dispatchChange();
  },
  remove(row) {
    saveForUndo();
    const next = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    if (!rows().length) body().append(makeRow("blank"));
    finish(next ?? rows()[0], "Line removed. Alt+Z brings it back.");
  },
};

// --- Keys ---

function handleEnter(input) {
  const row = input.closest("tr");
  const values = { isHeader: row.matches(".line-header"), text: input.value, price: cell(row, "price")?.value ?? "" };
  const target = cellAfterEnter(input.dataset.cell, values);
  if (target === "next-line") enterNextLine(row);
  else if (target === "add-button") section().querySelector("[value=add]").focus();
  else enter(cell(row, target));
}

function enterNextLine(row) {
  if (!row.nextElementSibling && rows().length < MAX_LINES) {
    body().append(makeRow("blank"));
    renumber();
  }
  enter(cell(row.nextElementSibling ?? row, "item_name"));
}

function enter(input) {
  input.focus();
  input.select?.();
}

// Goes to the same column of the nearest row above or below that shows it.
function enterSameColumn(input, step) {
  let row = input.closest("tr");
  do row = step < 0 ? row.previousElementSibling : row.nextElementSibling;
  while (row && !cell(row, input.dataset.cell)?.offsetParent);
  if (row) enter(cell(row, input.dataset.cell));
}

// What a key press in a cell does, as a function, or null if it is left to the browser.
function commandFor(event) {
  const input = event.target;
  if (event.altKey) {
    if (event.key.toLowerCase() === "z") return undoStack.length ? undo : null;
    const action = lineAction(event);
    return action ? () => ACTIONS[action](input.closest("tr")) : null;
  }
  const isText = input.matches("textarea");
  if (event.key === "Enter") return isText && event.shiftKey ? null : () => handleEnter(input);
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

// Enter in the fields above the table goes to the first line without an item.
function handleHeadKey(event) {
  if (event.key !== "Enter" || event.defaultPrevented || event.isComposing) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (!event.target.matches("input") || !event.target.closest("[data-to-lines]")) return;
  event.preventDefault();
  enter(cell(rows().find((row) => !cell(row, "item_name").value.trim()) ?? rows()[0], "item_name"));
}

// --- Amounts: the server sends them by line key; the line may have been removed since ---

function showAmounts(event) {
  const json = event.target.id === "sums" && event.target.querySelector("[data-amounts]")?.dataset.amounts;
  if (!json) return;
  const amounts = JSON.parse(json);
  for (const row of rows()) {
    const output = row.querySelector("output");
    const amount = amounts[row.dataset.line] ?? "";
    if (output.textContent !== amount) output.textContent = amount;
  }
}

// --- Buttons: performed here where possible, otherwise by the server, which sends the table again ---

function handleClick(event) {
  const button = event.target.closest("[data-lines] button[name=do]");
  if (!button || button.value === "last-lines") return; // last-lines reloads the whole page
  event.preventDefault();
  button.closest(".line-menu details")?.removeAttribute("open");
  if (button.matches("[data-discard]")) {
    button.closest(".lines-preview").remove();
    enter(cell(rows()[0], "item_name"));
  } else {
    performButton(button.value);
  }
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
  section().querySelector("[autofocus]")?.focus();
  section().dispatchEvent(new Event("change", { bubbles: true })); // stores a draft
  dispatchChange();
}

function handlePaste(event) {
  const input = event.target.closest("[data-cell]");
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!input || input.matches("textarea") || !isTable(text)) return;
  event.preventDefault();
  askServer("paste-check", { pasted: text, at: input.closest("tr").dataset.line, column: input.dataset.cell });
}

// --- Fields that follow another: a tax sets its rate, a customer and a date set the due date ---

function handleChange(event) {
  const input = event.target;
  if (input.dataset?.cell === "tax_id" && input.matches("select")) {
    const rate = input.selectedOptions[0]?.dataset.rate;
    if (rate !== undefined) cell(input.closest("tr"), "tax_rate").value = rate;
  }
  if (input.matches("[data-cell], [name^=overall_discount]")) dispatchChange();
}

const offersDueDate = form?.elements.due_date && !form.elements.snapshot; // new invoices only
let offeredDueDate = form?.elements.due_date?.value;

function dueDateQuery() {
  const { customer_id: customer, transaction_date: date } = form.elements;
  return new URLSearchParams({ customer: customer?.value ?? "", date: date.value }).toString();
}

// Keeps a due date that the user has typed, and ignores an answer for another customer or date than the form has now.
async function offerDueDate() {
  const { due_date: due } = form.elements;
  if (!offersDueDate || due.value !== offeredDueDate) return;
  const query = dueDateQuery();
  const response = await fetch(`${document.documentElement.dataset.root}invoices/due/?${query}`).catch(() => null);
  if (!response?.ok) return;
  const { text } = await response.json();
  if (!text || due.value !== offeredDueDate || query !== dueDateQuery()) return;
  due.value = text;
  offeredDueDate = text;
  due.dispatchEvent(new Event("change", { bubbles: true }));
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
  for (const part of form.querySelectorAll("[data-needless]")) part.hidden = true; // replaced by this module
  for (const field of form.querySelectorAll("[data-offered]")) field.disabled = true; // offerDueDate replaces it
  form.addEventListener("keydown", (event) => event.target.matches("[data-cell]") && handleKey(event));
  form.addEventListener("keydown", handleHeadKey);
  form.addEventListener("keydown", closeMenuOnEscape);
  form.addEventListener("click", handleClick);
  form.addEventListener("paste", handlePaste);
  form.addEventListener("htmx:afterSwap", showAmounts);
  form.addEventListener("htmx:afterRequest", replaceTable);
  form.addEventListener("change", handleChange);
  form.addEventListener("input", (event) => event.target.matches(".number[data-cell]") && dispatchChange());
  form.addEventListener("change", (event) => event.target.closest("[data-to-lines]") && offerDueDate());
  document.addEventListener("click", closeOtherMenus);
  if (items) {
    items.onTake = (row) => {
      dispatchChange();
      enter(cell(row, "quantity"));
    };
  }
}
