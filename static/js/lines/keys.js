// The table of a document's lines by keyboard.

import { ACTIONS, canUndo, undo } from "lines/changes";
import { handleItemKey } from "lines/items";
import { cell, cellName, enter, growBelow, isHeaderRow, rowAbove, rowBelow, rowOf, section } from "lines/rows";

// Where Enter goes from a cell with this text: "quantity", "price" (of an item without one), "next-line", or
// "add-button" from an empty item name, which ends the table.
export function cellAfterEnter(column, { isHeader, text, price }) {
  if (isHeader) return "next-line";
  if (column === "item_name" && !text.trim()) return "add-button";
  if (["item_name", "item_id", "description"].includes(column)) return "quantity";
  return column === "quantity" && !price.trim() ? "price" : "next-line";
}

const ALT_KEYS = { ArrowUp: "up", ArrowDown: "down", Enter: "below", Delete: "remove", Backspace: "remove", i: "number" };
const ALT_SHIFT_KEYS = { ArrowDown: "copy", Enter: "headerBelow" };

// The action on a line that a key with Alt stands for, or undefined.
export function lineAction({ key, shiftKey }) {
  return (shiftKey ? ALT_SHIFT_KEYS : ALT_KEYS)[key];
}

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
    if (event.key.toLowerCase() === "z") return canUndo() ? undo : null;
    const action = lineAction(event);
    return action ? () => ACTIONS[action](rowOf(input)) : null;
  }
  const isText = input.matches("textarea");
  if (event.key === "Enter") return enterCommand(event, isText);
  if (isText || input.matches("select")) return null;
  if (event.key === "ArrowUp") return () => enterSameColumn(input, -1);
  return event.key === "ArrowDown" ? () => enterSameColumn(input, 1) : null;
}

export function handleKey(event) {
  if (event.isComposing || event.ctrlKey || event.metaKey) return;
  if (!event.altKey && handleItemKey(event)) return;
  const command = commandFor(event);
  if (!command) return;
  event.preventDefault();
  command();
}
