// The rows of a document's lines, and their fields.
//
// Most lines come with the fields of the columns, and others that hold something; a line that someone goes to gets the others
// from the page's template (documents/_line.html). What is there stays, as it may be in use.

import { find, whenIdle } from "page";

const MAX_LINES = 300;
const RARE = /^line-\d+-(item_id|description|tax_rate)$/; // what a line may lack

export let form; // of the document

export function useForm(found) {
  form = found;
}

export const section = () => find("[data-lines]", form);
export const table = () => find("[data-line-table]", section());
export const rows = () => [...table().tBodies]; // a line is a <tbody>: its row, and one with its errors
export const rowOf = (element) => element.closest("tbody[data-line]");
export const rowBelow = (row) => row.nextElementSibling;
export const rowAbove = (row) => (row.previousElementSibling?.matches("[data-line]") ? row.previousElementSibling : null);
export const isHeaderRow = (row) => row.matches("[data-is-header]");
export const isFull = () => rows().length >= MAX_LINES;
export const cell = (row, name) => row?.querySelector(`[name$="-${name}"]`);
export const cellName = ({ name }) => name?.match(/^line-\d+-(.+)/)?.[1];

// In a region of the table, for a screen reader.
export function announceInLines(message) {
  find("[data-lines-said]", section()).textContent = message;
}

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
export function textsOf(row) {
  const texts = fieldsOf(row).map(({ name, value }) => [cellOf(name), value]);
  return Object.fromEntries(texts.filter(([, text]) => text));
}

export function writeTexts(row, texts) {
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

export function renumber() {
  rows().forEach((row, index) => {
    if (!cell(row, "item_name").getAttribute("aria-label").endsWith(` ${index + 1}`)) numberRow(row, index + 1);
  });
}

// --- Rows ---

// The key of a new line: one more than the highest. Keys number the lines of a form and never change.
export function nextLineKey(keys) {
  return Math.max(-1, ...keys) + 1;
}

export const newKey = () => nextLineKey(rows().map((row) => Number(row.dataset.line)));

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
export function makeRow(kind, key) {
  const row = form.querySelector(`template[data-${kind}]`).content.querySelector("tbody").cloneNode(true);
  setKey(row, key);
  prepareFields(row);
  return row;
}

export function copyRow(source, key) {
  const row = source.cloneNode(true);
  writeTexts(row, textsOf(source)); // what is chosen is not cloned
  setKey(row, key);
  return row;
}

// Keeps empty lines below the last one that is used.
export function growBelow(row) {
  if (rowBelow(row) || isFull()) return;
  table().append(makeRow("blank", newKey()));
  renumber();
}

// The description has a key, so its button is not on the way of Tab.
export function prepareFields(part) {
  for (const summary of part.querySelectorAll(".line-text > summary")) summary.tabIndex = -1;
}

// --- A line that someone goes to ---

export function enter(input) {
  openRow(rowOf(input)); // before the focus, which computes the layout
  input.focus();
  input.select?.();
}

export function enterNumber(row) {
  row.classList.add("numbered");
  enter(cell(row, "item_id"));
}

function openRow(row) {
  if (!row || row.matches("[data-open]")) return;
  row.toggleAttribute("data-open", true);
  const whole = wholeOf(row);
  whole.querySelector(".line-menu").replaceChildren(); // comes when it is asked for
  complete(row.rows[0], whole.rows[0]);
}

export function openMenu(row) {
  const button = row.querySelector(".line-menu > button");
  button?.replaceWith(wholeOf(row).querySelector(".line-menu details"));
  const menu = row.querySelector(".line-menu details");
  menu.open = true;
  menu.querySelector("summary").focus();
}

// A blank row of the same kind, key and number.
function wholeOf(row) {
  const whole = makeRow(isHeaderRow(row) ? "header" : "blank", row.dataset.line);
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

// The line below is opened while nothing else is to be done: on a slow computer that takes longer than a key may. On a phone
// the other lines fold then, and not while a finger is on what would move.
export function openAt({ target }) {
  const row = target.closest("tbody[data-line]");
  if (!row) return;
  openRow(row);
  whenIdle(() => {
    for (const other of rows()) other.toggleAttribute("data-at", other === row);
    openRow(rowBelow(row));
  });
}

// A line that was opened sends no more than it did before.
export function leaveOut({ formData }) {
  for (const [name, text] of [...formData]) {
    if (RARE.test(name) && !text) formData.delete(name);
  }
}
