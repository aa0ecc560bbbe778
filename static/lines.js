// The form of an invoice or an estimate: the fields above its lines, the list of items, the fields of a line, the table of
// lines by keyboard, and what the server says about them. The server checks what is pasted and computes all sums. Without
// this module every action is a submit button (documents/_lines.html). It is one file because the form needs all of it
// before its first key: a file is a request of its own.

const MAX_LINES = 300;
const MAX_UNDO = 20;

let form;
const section = () => form.querySelector("[data-lines]");
const table = () => section().querySelector("[data-line-table]");
const rows = () => [...table().tBodies]; // a line is a <tbody>: its row, and one with its errors
const rowOf = (element) => element.closest("tbody[data-line]");
const isHeaderRow = (row) => row.matches("[data-is-header]");
const cell = (row, name) => row?.querySelector(`[name$="-${name}"]`);
const cellName = ({ name }) => name?.match(/^line-\d+-(.+)/)?.[1];
const whenIdle = globalThis.requestIdleCallback ?? setTimeout; // Safari has only the latter
const undoStack = []; // earlier states of the table, the latest last
let isTyped = true; // whether a field was changed since the latest of them: Ctrl+Z is the browser's then

// --- The fields above the lines: the due date follows the customer and the date, and Enter goes to the lines ---

function watchHead() {
  const offersDueDate = form.elements.due_date && !form.elements.snapshot; // new invoices only
  let offeredDueDate = form.elements.due_date?.value;
  let lastKey = "";

  function query() {
    const { customer_id: customer, transaction_date: date } = form.elements;
    return new URLSearchParams({ customer: customer?.value ?? "", date: date.value }).toString();
  }

  // Keeps a due date that the user has typed, and ignores an answer for another customer or date than the form has now.
  async function offerDueDate() {
    const { due_date: due } = form.elements;
    if (!offersDueDate || due.value !== offeredDueDate) return;
    const asked = query();
    const response = await fetch(`${document.documentElement.dataset.root}invoices/due/?${asked}`).catch(() => null);
    if (!response?.ok) return;
    const { text } = await response.json();
    if (!text || text === offeredDueDate || due.value !== offeredDueDate || asked !== query()) return;
    due.value = text;
    offeredDueDate = text;
    due.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // Enter that chooses the customer goes on to the lines as well.
  function followHead({ target }) {
    if (!target.closest("[data-to-lines]")) return;
    offerDueDate();
    const picker = target.closest("record-picker");
    if (lastKey === "Enter" && target.value && picker?.contains(document.activeElement)) enterFirstLine();
  }

  function goToLines(event) {
    if (event.key !== "Enter" || event.defaultPrevented || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!event.target.matches("input") || !event.target.closest("[data-to-lines]")) return;
    event.preventDefault();
    enterFirstLine();
  }

  for (const field of form.querySelectorAll("[data-offered]")) field.disabled = true; // offerDueDate replaces it
  form.addEventListener("change", followHead);
  form.addEventListener("keydown", goToLines);
  form.addEventListener("keydown", ({ key }) => void (lastKey = key), { capture: true }); // before the picker uses it
}

// --- The suggestion list of a line's item field ---
//
// The options of the page's datalist, filtered as the user types, and last an offer to create what was typed. Enter and
// Tab take the marked option if it can have been read (site.js), else the certain one; Tab does not take that offer.
// Without this module the browser suggests from the same datalist.

const MAX_SHOWN = 8;

// The options for a typed text: first those that have it as their name or id, then those that start with it, then those
// that contain it.
export function matchingOptions(options, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const groups = [[], [], []];
  for (const option of options) {
    const name = option.value.toLowerCase();
    if (name === wanted || option.dataset.id === wanted) groups[0].push(option);
    else if (name.startsWith(wanted)) groups[1].push(option);
    else if (name.includes(wanted)) groups[2].push(option);
  }
  return groups.flat().slice(0, MAX_SHOWN);
}

// The option to take for a typed text without the user having seen the list, or null: the only one that has the text as
// its name or id, else the only one at all.
export function certainItem(options, text) {
  const wanted = text.trim().toLowerCase();
  const exact = options.filter(({ value, dataset }) => value.toLowerCase() === wanted || dataset.id === wanted);
  const candidates = exact.length ? exact : options;
  return candidates.length === 1 ? candidates[0] : null;
}

// A name as an element, with the typed text in it marked.
function markTyped(name, text) {
  const at = name.toLowerCase().indexOf(text.toLowerCase());
  const words = document.createElement("span");
  if (at < 0) words.append(name);
  else {
    const mark = document.createElement("mark");
    mark.textContent = name.slice(at, at + text.length);
    words.append(name.slice(0, at), mark, name.slice(at + text.length));
  }
  return words;
}

// The offer to create an item of that name. The service has no call that does it, so the line asks for the number that
// the item has there; the list learns both from the saved document.
function makeOffer(text) {
  const element = document.createElement("div");
  Object.assign(element, { id: "item-list-new", className: "picker-create", textContent: `Add “${text}”` });
  element.setAttribute("role", "option");
  const hint = document.createElement("span");
  Object.assign(hint, { className: "muted", textContent: "needs its item number" });
  element.append(hint);
  return element;
}

class ItemList {
  constructor() {
    this.list = document.createElement("div");
    Object.assign(this.list, { className: "item-list", id: "item-list", hidden: true });
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "Items");
    this.shown = new window.ShownOptions();
    this.list.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the focus in the field
    this.list.addEventListener("click", (event) => this.take(event.target.closest("[role=option]")));
    form.addEventListener("focusin", (event) => this.attachTo(event.target));
    form.addEventListener("input", (event) => event.target === this.input && this.search());
    form.addEventListener("focusout", (event) => event.target === this.input && this.close());
    this.onTake = () => {};
    this.onCreate = () => {};
    // The page may have focused an item field before this module was loaded.
    if (form.contains(document.activeElement)) this.attachTo(document.activeElement);
  }

  attachTo(input) {
    if (!input.matches?.("[list=stock], [data-items]")) return; // data-items: attached before
    this.input = input;
    input.removeAttribute("list"); // the browser's own suggestions would cover this list
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-expanded", "false");
    input.toggleAttribute("data-items", true);
    input.parentElement.append(this.list);
    input.setAttribute("aria-controls", this.list.id);
  }

  search() {
    const itemId = this.input.closest("tr").querySelector('[name$="-item_id"]');
    itemId.value = ""; // the id belonged to the text before
    const options = matchingOptions([...document.querySelectorAll("#stock option")], this.input.value);
    const text = this.input.value.trim();
    if (text) this.show(options.map((option, index) => this.makeOption(option, index)), text);
    else this.close();
  }

  show(options, text) {
    this.list.replaceChildren(...options, makeOffer(text));
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.mark(this.list.firstElementChild);
    this.shown.show(options.map(({ source }) => source.dataset.id).join());
  }

  makeOption(source, index) {
    const element = document.createElement("div");
    element.id = `item-list-${index}`;
    element.setAttribute("role", "option");
    element.source = source;
    const hint = document.createElement("span");
    hint.className = "muted";
    hint.textContent = source.textContent;
    element.append(markTyped(source.value, this.input.value.trim()), hint);
    return element;
  }

  mark(option) {
    for (const other of this.list.children) other.setAttribute("aria-selected", String(other === option));
    if (option) this.input.setAttribute("aria-activedescendant", option.id);
    else this.input.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  close() {
    this.shown.hide();
    this.list.hidden = true;
    this.list.replaceChildren();
    this.input?.setAttribute("aria-expanded", "false");
    this.input?.removeAttribute("aria-activedescendant");
  }

  get marked() {
    return this.list.querySelector("[aria-selected=true]");
  }

  // The option that a key takes, or null: the marked one if it can have been read.
  optionFor(event) {
    if (this.shown.isRead(event.timeStamp)) return this.marked;
    const options = [...this.list.children].filter(({ source }) => source);
    const certain = certainItem(options.map(({ source }) => source), this.input.value);
    return options.find(({ source }) => source === certain) ?? null;
  }

  moveMark(key) {
    const { firstElementChild: first, lastElementChild: last } = this.list;
    this.shown.reach();
    this.mark(key === "ArrowDown" ? (this.marked.nextElementSibling ?? first) : (this.marked.previousElementSibling ?? last));
  }

  // Handles a key press in the field. Returns true if the list used the key.
  handleKey(event) {
    if (event.target !== this.input || this.list.hidden) return false;
    const option = this.optionFor(event);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") this.moveMark(event.key);
    else if (event.key === "Tab" && !option?.source) {
      this.close(); // leaves the field with the text as it is
      return false;
    } else if (event.key === "Enter" || event.key === "Tab") this.take(option);
    else if (event.key === "Escape") this.close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  // Fills the line from the option: name, id, price and tax. Keeps what the option has no value for.
  // What choosing an item fills in, by cell.
  cellsOf(row, { value, dataset: { id, price, tax, rate } }) {
    const isChoice = cell(row, "tax_id").matches("select"); // of taxes with their rates
    return { item_name: value, item_id: id, price, tax_id: tax && (isChoice ? `${tax}|${rate}` : tax), tax_rate: rate };
  }

  // A typed item number fills in what the line lacks, and the page says whose number it is.
  takeNumber(row, number) {
    const item = [...document.querySelectorAll("#stock option")].find(({ dataset }) => dataset.id === number);
    if (!item) return;
    for (const [name, value] of Object.entries(this.cellsOf(row, item))) {
      if (value && ["", "|"].includes(cell(row, name).value)) cell(row, name).value = value;
    }
    announce(`Item ${number} is ${item.value}.`);
  }

  take(option) {
    if (!option) return;
    const row = this.input.closest("tbody");
    if (!option.source) {
      this.close();
      this.onCreate(row);
      return;
    }
    for (const [name, value] of Object.entries(this.cellsOf(row, option.source))) {
      if (value || name === "item_id") cell(row, name).value = value;
    }
    this.close();
    this.onTake(row);
  }
}

// --- The fields of one line ---
//
// Most lines come with the fields of the columns, and others that hold something;
// a line that somebody goes to gets the others from the page's template (documents/_line.html). What is there stays, as
// it may be in use. Without this module a button of the line asks the server for them.

const RARE = /^line-\d+-(item_id|description|tax_rate)$/; // what a line may lack

// --- Names, texts and numbers ---

// The cell that a field is for, by the field's name: "price" for "line-3-price".
export function cellOf(name) {
  return name.split("-")[2];
}

// A label with another number of the line: "Price, line 4".
export function numbered(label, count) {
  return label.replace(/\d+$/, count);
}

const fieldsOf = (row) => [...row.querySelectorAll("[name^=line-]")];

// The texts of a line by cell, without empty ones.
function textsOf(row) {
  const texts = fieldsOf(row).map(({ name, value }) => [cellOf(name), value]);
  return Object.fromEntries(texts.filter(([, text]) => text));
}

function writeTexts(row, texts) {
  for (const field of fieldsOf(row)) {
    const text = texts[cellOf(field.name)] ?? "";
    if (field.value !== text) field.value = text;
  }
}

function numberRow(row, count) {
  for (const part of row.querySelectorAll("[aria-label]")) {
    part.setAttribute("aria-label", numbered(part.getAttribute("aria-label"), count));
  }
}

// --- Rows ---

// Names and ids of a line go by its key, which never changes.
function setKey(row, key) {
  row.dataset.line = key;
  row.querySelector("[name=line]").value = key;
  for (const button of row.querySelectorAll("[name=do]")) button.value = button.value.replace(/-.*/, `-${key}`);
  for (const name of ["id", "name", "aria-describedby"]) {
    for (const element of row.querySelectorAll(`[${name}^=line-]`)) {
      element.setAttribute(name, element.getAttribute(name).replace(/^line-[^-]*/, `line-${key}`));
    }
  }
}

// A row from the page's template for a kind, "blank" or "header".
function makeRow(kind, key) {
  const row = form.querySelector(`template[data-${kind}]`).content.querySelector("tbody").cloneNode(true);
  setKey(row, key);
  prepareFields(row);
  return row;
}

function copyRow(source, key) {
  const row = source.cloneNode(true);
  writeTexts(row, textsOf(source)); // what is chosen is not cloned
  setKey(row, key);
  return row;
}

// The description has a key, so its button is not on the way of Tab.
function prepareFields(part) {
  for (const summary of part.querySelectorAll(".line-text > summary")) summary.tabIndex = -1;
}

// --- A line that somebody goes to ---

function openRow(row) {
  if (!row || row.matches("[data-open]")) return;
  row.toggleAttribute("data-open", true);
  const whole = wholeOf(row);
  whole.querySelector(".line-menu").replaceChildren(); // comes when it is asked for
  complete(row.rows[0], whole.rows[0]);
}

function openMenu(row) {
  const button = row.querySelector(".line-menu > button");
  button?.replaceWith(wholeOf(row).querySelector(".line-menu details"));
  const menu = row.querySelector(".line-menu details");
  menu.open = true;
  menu.querySelector("summary").focus();
}

// A blank row of the same kind, key and number.
function wholeOf(row) {
  const whole = makeRow(row.matches("[data-is-header]") ? "header" : "blank", row.dataset.line);
  const [count] = row.querySelector("[aria-label]").getAttribute("aria-label").match(/\d+$/);
  numberRow(whole, count);
  return whole;
}

// Adds to a part of a line what the same part of a whole one has besides.
function complete(part, whole) {
  const chosen = part.value;
  for (const { name, value } of whole.attributes) {
    if (name === "type" || !part.hasAttribute(name)) part.setAttribute(name, value);
  }
  let next = part.firstElementChild;
  for (const child of [...whole.children]) {
    const same = firstSame(next, child);
    if (same) complete(same, child);
    else part.insertBefore(child, next);
    next = same ? same.nextElementSibling : next;
  }
  if (part.matches("select")) part.value = chosen;
}

// The first of this element and its next siblings that is the same part of a line as another one, or null.
function firstSame(element, other) {
  let one = element;
  while (one && !isSame(one, other)) one = one.nextElementSibling;
  return one;
}

function isSame(part, other) {
  if (part.tagName !== other.tagName) return false;
  return part.matches("option") ? part.value === other.value : part.name === other.name;
}

// The line below is opened while nothing else is to be done: on a slow computer that takes longer than a key may.
function openAt({ target }) {
  const row = target.closest("tbody[data-line]");
  if (!row) return;
  openRow(row);
  whenIdle(() => openRow(rowBelow(row)));
}

// A line that was opened sends no more than it did before.
function leaveOut({ formData }) {
  for (const [name, text] of [...formData]) {
    if (RARE.test(name) && !text) formData.delete(name);
  }
}

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
// (dashboard/documents/lines.py).
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

// --- Announcements ---

let items; // the ItemList

function announce(message) {
  section().querySelector("[data-lines-said]").textContent = message;
}

// --- Rows: labels are numbered by position, names and ids by the key of the line ---

function renumber() {
  rows().forEach((row, index) => {
    if (!cell(row, "item_name").getAttribute("aria-label").endsWith(` ${index + 1}`)) numberRow(row, index + 1);
  });
}

const newKey = () => nextLineKey(rows().map((row) => Number(row.dataset.line)));

// --- Undo ---

function saveForUndo() {
  isTyped = false;
  undoStack.push(rows().map((row) => ({ row, texts: textsOf(row) })));
  if (undoStack.length > MAX_UNDO) undoStack.shift();
  section().querySelector("[data-undo]").hidden = false;
}

function undo() {
  const state = undoStack.pop();
  if (!state) return;
  const kept = new Set(state.map(({ row }) => row));
  for (const row of rows()) if (!kept.has(row)) row.remove();
  for (const [place, { row, texts }] of state.entries()) {
    const here = table().tBodies[place];
    if (here !== row) table().insertBefore(row, here ?? null);
    writeTexts(row, texts);
  }
  section().querySelector("[data-undo]").hidden = !undoStack.length;
  finish(rows()[0], "Undone.");
}

// --- Actions on lines ---

function finish(row, message) {
  renumber();
  askForSumsSoon();
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

const blank = () => makeRow("blank", newKey());
const header = () => makeRow("header", newKey());
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
  copy: (row) => insertRow(() => copyRow(row, newKey()), rowBelow(row), "Line duplicated."),
  number(row) {
    if (isHeaderRow(row)) return;
    row.classList.add("numbered");
    enter(cell(row, "item_id"));
  },
  open: (row) => openMenu(row),
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
  const target = cellAfterEnter(cellName(input), values);
  if (target === "next-line") enterNextLine(row);
  else if (target === "add-button") section().querySelector("[value=add]").focus();
  else enter(cell(row, target));
}

function enterNextLine(row) {
  growBelow(row);
  enter(cell(rowBelow(row) ?? row, "item_name"));
}

function enter(input) {
  openRow(rowOf(input)); // before the focus, which computes the layout
  input.focus();
  input.select?.();
}

// Goes to the same column of the nearest row above or below that shows it.
function enterSameColumn(input, step) {
  let row = rowOf(input);
  do row = step < 0 ? rowAbove(row) : rowBelow(row);
  while (row && !cell(row, cellName(input))?.offsetParent);
  if (row) enter(cell(row, cellName(input)));
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
  if (!event.altKey && items.handleKey(event)) return;
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

let sentLines; // the texts of all lines as the server got them

const currentLines = () => JSON.stringify(rows().map(textsOf));

function askServer(action, values = {}) {
  items.close();
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
  askForSumsSoon();
}

// What the page says about pasted lines, for a screen reader: a region that comes with its words is not read.
const pastedWords = () => section().querySelector("[data-pasted] p, [data-lines-said]").textContent;

// What this module replaces goes, and what works with it only shows.
function prepareSection() {
  prepareFields(section());
  for (const part of form.querySelectorAll("[data-needless]")) part.hidden = true;
  for (const part of section().querySelectorAll("[data-needs-js]")) part.hidden = false;
}

function handlePaste(event) {
  const input = event.target;
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!cellName(input) || input.matches("textarea") || !isTable(text)) return;
  event.preventDefault();
  askServer("paste-check", { pasted: text, at: rowOf(input).dataset.line, column: cellName(input) });
}

function handleChange({ target }) {
  if (cellName(target) === "discount") target.value = saidDiscount(target.value);
  if (cellName(target) === "item_id") items.takeNumber(rowOf(target), target.value.trim());
  if (cellName(target) || target.matches("[name^=overall_discount], [name^=org_currency_id]")) askForSumsSoon();
}

function handleUndo(event) {
  const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === "z";
  if (!isUndo || isTyped || !undoStack.length || !section().contains(event.target)) return;
  event.preventDefault();
  undo();
}

function handleInput({ target }) {
  if (!cellName(target)) return;
  growBelow(rowOf(target));
  isTyped = true;
  if (target.matches(".number, .rate")) askForSumsSoon();
}

// --- Menus of lines close when the user clicks elsewhere or presses Escape ---

function closeOtherMenus(event) {
  for (const menu of form?.querySelectorAll(".line-menu details[open]") ?? []) {
    if (!event.composedPath().includes(menu.parentElement)) menu.removeAttribute("open");
  }
}

function closeMenuOnEscape(event) {
  const menu = event.key === "Escape" && event.target.closest(".line-menu details[open]");
  if (!menu) return;
  menu.removeAttribute("open");
  menu.querySelector("summary").focus();
}

// --- What the server says about the lines ---
//
// The sums, the amount of every line, and the cells that are no
// numbers. It is asked in a pause of typing, with what the sums need of the lines, not with the whole form.

const PAUSE = 400; // ms; nobody reads a sum between two digits

const sums = () => form.querySelector("#sums");
const NUMBER_CELLS = ["quantity", "price", "discount", "tax_rate"];

// --- Asking ---

let pause; // of typing
let sumsRequest; // the AbortController of the request under way

// The rate of a chosen tax is behind the bar of its option ("61|20"); any other rate is typed.
export function rateOf(tax, typed) {
  return tax.includes("|") ? tax.slice(tax.lastIndexOf("|") + 1) : typed;
}

// A line as the server reads it for the sums (dashboard/documents/lines.py).
function numbersOf(row) {
  if (row.matches("[data-is-header]")) return "\t\t\t\t#";
  const texts = textsOf(row);
  const [quantity, price, discount, typed, tax] = [...NUMBER_CELLS, "tax_id"].map((name) => (texts[name] ?? "").trim());
  return [quantity, price, discount, rateOf(tax, typed)].join("\t").trimEnd();
}

function askForSumsSoon() {
  clearTimeout(pause);
  pause = setTimeout(askForSums, PAUSE);
}

async function askForSums() {
  sumsRequest?.abort();
  const mine = (sumsRequest = new AbortController());
  const about = rows(); // one of them may be gone when the answer comes
  const body = new FormData();
  for (const name of ["csrfmiddlewaretoken", "overall_discount", "overall_discount_type", "org_currency_id"]) {
    body.set(name, form.elements[name]?.value ?? "");
  }
  body.set("numbers", about.map(numbersOf).join("\n"));
  try {
    const answer = await fetch(sums().dataset.totalsUrl, { method: "POST", body, signal: mine.signal });
    if (answer.ok && !answer.redirected) showSums(await answer.text(), about);
  } catch {
    // The sums stay as they are; saving says what is wrong.
  }
}

// --- Showing ---

function showSums(html, about) {
  sums().innerHTML = html;
  const { amounts, wrong, in: currency, total, totalLabel } = sums().querySelector("[data-amounts]").dataset;
  for (const place of form.querySelectorAll("[data-currency]")) place.textContent = currency && `, ${currency}`;
  form.querySelector("#bar-label").textContent = totalLabel;
  form.querySelector("#bar-total").textContent = total;
  const words = JSON.parse(wrong);
  JSON.parse(amounts).forEach((amount, place) => showLine(about[place], amount, words[place]));
}

function showLine(row, amount, wrong) {
  if (wrong || row.rows.length > 1) NUMBER_CELLS.forEach((name) => tellWrong(cell(row, name), wrong?.[name]));
  const output = row.querySelector("output");
  if (output.textContent !== amount) output.textContent = amount;
}

// --- Cells that are no numbers: told below the line once they are left, as after sending the form ---

function tellWrong(field, words) {
  if (!field || field === document.activeElement) return; // is being typed
  const told = document.getElementById(`${field.name}-error`);
  if (told && (told.dataset.about ?? field.defaultValue) !== field.value) removeWords(field, told);
  if (words && !document.getElementById(`${field.name}-error`)) addWords(field, words);
}

function addWords(field, words) {
  const parts = form.querySelector("template[data-why]").content;
  const line = parts.querySelector("p").cloneNode(true);
  Object.assign(line, { id: `${field.name}-error` }).dataset.about = field.value;
  line.querySelector("span").textContent = words;
  offerNumber(line, field, words);
  const row = field.closest("tbody[data-line]");
  if (!row.querySelector(".why")) row.append(parts.querySelector("tr").cloneNode(true));
  row.querySelector(".why [colspan]").append(line);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", line.id);
}

// “1,5”: did you mean 1.5? The button takes it; without scripts the server does (records/form_drafts.py).
function offerNumber(line, field, words) {
  const [, typed, meant] = /“([^”]+)”: did you mean ([^?]+)[?]/.exec(words) ?? [];
  if (!meant) return;
  const button = Object.assign(document.createElement("button"), { type: "button", className: "button small", textContent: `Use ${meant}` });
  button.addEventListener("click", () => {
    field.value = field.value.replace(typed, meant);
    field.focus();
    removeWords(field, line);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  line.append(" ", button);
}

function removeWords(field, told) {
  const why = told.closest("tr");
  told.remove();
  if (!why.querySelector("p")) why.remove();
  field.removeAttribute("aria-invalid");
  field.removeAttribute("aria-describedby");
}

function begin() {
  form = document.querySelector("[data-document]");
  undoStack.length = 0;
  isTyped = true;
  clearTimeout(pause);
  sumsRequest?.abort();
  if (!form) return;
  watchHead();
  form.addEventListener("focusin", openAt, { capture: true }); // before the list of items looks at its field
  form.addEventListener("formdata", leaveOut);
  if (form.contains(document.activeElement)) openAt({ target: document.activeElement });
  items = new ItemList();
  items.onTake = (row) => {
    askForSumsSoon();
    enter(cell(row, "quantity"));
  };
  items.onCreate = (row) => {
    ACTIONS.number(row);
    announce("Type the number of the item.");
  };
  prepareSection();
  form.addEventListener("keydown", (event) => cellName(event.target) && handleKey(event));
  form.addEventListener("keydown", handleUndo);
  form.addEventListener("keydown", closeMenuOnEscape);
  form.addEventListener("click", handleClick);
  form.addEventListener("paste", handlePaste);
  form.addEventListener("htmx:afterRequest", replaceTable);
  form.addEventListener("change", handleChange);
  form.addEventListener("input", handleInput);
}

begin();
document.addEventListener("click", closeOtherMenus);
document.addEventListener("page-changed", begin); // change_page.js
