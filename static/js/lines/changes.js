// What changes the lines of a document as a whole, and undoing it.

import {
  announceInLines, cell, copyRow, enterNumber, isFull, isHeaderRow, makeRow, newKey, openMenu, renumber, rowAbove, rowBelow, rows,
  section, table, textsOf, writeTexts,
} from "lines/rows";
import { askForSumsSoon } from "lines/sums";

const MAX_UNDO = 20;

const undoStack = []; // earlier states of the table, the latest last
let statePasted; // the state before the latest paste
let isTyped = true; // whether a field was changed since the latest of them: Ctrl+Z is the browser's then

export const canUndo = () => undoStack.length > 0;

export function forgetChanges() {
  undoStack.length = 0;
  isTyped = true;
}

export function noteTyping() {
  isTyped = true;
}

const currentState = () => rows().map((row) => ({ row, texts: textsOf(row) }));

export function showUndo() {
  section().querySelector("[data-undo]").hidden = !undoStack.length;
}

function saveForUndo(state = currentState()) {
  isTyped = false;
  undoStack.push(state);
  if (undoStack.length > MAX_UNDO) undoStack.shift();
  showUndo();
}

// `paste` replaces the table.
export function keepPaste(paste) {
  const state = currentState();
  paste();
  if (!section().querySelector("[data-line-table] .pasted")) return;
  statePasted = state;
  saveForUndo(state);
}

// The pasted lines were corrected and added: Undo takes them out as a whole, as earlier states hold the wrong ones.
export function forgetCorrections() {
  undoStack.length = undoStack.indexOf(statePasted) + 1;
}

export const undo = () => restore(undoStack.at(-1));

export const discardPaste = () => restore(statePasted);

// Goes back to a state, and drops those after it.
function restore(state) {
  if (!state) return;
  undoStack.length = Math.max(undoStack.indexOf(state), 0);
  if (!undoStack.includes(statePasted)) section().querySelector("[data-pasted]")?.remove();
  const kept = new Set(state.map(({ row }) => row));
  for (const row of rows()) if (!kept.has(row)) row.remove();
  for (const [place, { row, texts }] of state.entries()) {
    const here = table().tBodies[place];
    if (here !== row) table().insertBefore(row, here ?? null);
    writeTexts(row, texts);
  }
  showUndo();
  finish(rows()[0], "Undone.");
}

export function handleUndo(event) {
  const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === "z";
  if (!isUndo || isTyped || !undoStack.length || !section().contains(event.target)) return;
  event.preventDefault();
  undo();
}

// --- Actions on lines ---

function finish(row, message) {
  renumber();
  askForSumsSoon();
  announceInLines(message);
  (cell(row, "item_name") ?? section().querySelector("button")).focus();
}

// Inserts a row that `make` returns before another one, or at the end if that is null. Says so if the table is full.
function insertRow(make, before, message) {
  if (isFull()) {
    announceInLines(`${rows().length} lines is the maximum.`);
    return;
  }
  saveForUndo();
  const row = make();
  table().insertBefore(row, before);
  finish(row, message);
}

const blank = () => makeRow("blank", newKey());

const header = () => makeRow("header", newKey());

function moveRow(row, step) {
  const neighbour = step < 0 ? rowAbove(row) : rowBelow(row);
  if (!neighbour) return;
  saveForUndo();
  if (step < 0) neighbour.before(row);
  else neighbour.after(row);
  finish(row, step < 0 ? "Line moved up." : "Line moved down.");
}

export const ACTIONS = {
  insert: (row) => insertRow(blank, row, "Line added."),
  header: (row) => insertRow(header, row, "Header added."),
  below: (row) => insertRow(blank, rowBelow(row), "Line added."),
  headerBelow: (row) => insertRow(header, rowBelow(row), "Header added."),
  add: () => insertRow(blank, null, "Line added."),
  copy: (row) => insertRow(() => copyRow(row, newKey()), rowBelow(row), "Line duplicated."),
  number: (row) => isHeaderRow(row) || enterNumber(row),
  open: (row) => openMenu(row),
  up: (row) => moveRow(row, -1),
  down: (row) => moveRow(row, 1),
  remove(row) {
    saveForUndo();
    const next = rowBelow(row) ?? rowAbove(row);
    row.remove();
    if (!rows().length) table().append(blank());
    finish(next ?? rows()[0], "Line removed. Press Alt+Z to undo.");
  },
};
