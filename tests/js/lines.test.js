import assert from "node:assert/strict";
import { test } from "node:test";

import { cellAfterEnter, lineAction } from "lines/keys";
import { isTable, saidDiscount } from "lines";
import { nextLineKey } from "lines/rows";

const BLANK = { isHeader: false, text: "", price: "" };

test("Enter goes from the item to the quantity", () => {
  assert.equal(cellAfterEnter("item_name", { ...BLANK, text: "Paper" }), "quantity");
  assert.equal(cellAfterEnter("item_id", BLANK), "quantity");
  assert.equal(cellAfterEnter("description", BLANK), "quantity");
});

test("Enter goes from the quantity to a price that is missing, otherwise to the next line", () => {
  assert.equal(cellAfterEnter("quantity", { ...BLANK, text: "2" }), "price");
  assert.equal(cellAfterEnter("quantity", { ...BLANK, text: "2", price: "9.50" }), "next-line");
  assert.equal(cellAfterEnter("price", { ...BLANK, text: "9.50", price: "9.50" }), "next-line");
});

test("Enter in an empty item name ends the table", () => {
  assert.equal(cellAfterEnter("item_name", { ...BLANK, text: "  " }), "add-button");
});

test("Enter goes from a header to the next line, also from an empty one", () => {
  assert.equal(cellAfterEnter("item_name", { ...BLANK, isHeader: true }), "next-line");
});

test("text with a tab or several lines is pasted as a table", () => {
  for (const text of ["Paper\t2", "Paper\nInk", "Paper\r\nInk", "Paper\n\n  Ink"]) assert.ok(isTable(text), text);
});

test("one text is pasted as text, whatever white space is around it", () => {
  for (const text of ["", "Paper", "A4 paper, 80 g", "Paper\n", "\r\nPaper \n\n"]) assert.ok(!isTable(text), text);
});

test("a new line gets a key above all others, and the first one gets 0", () => {
  assert.equal(nextLineKey([0, 7, 3]), 8);
  assert.equal(nextLineKey([]), 0);
});

test("Alt with a key is an action on the line, with Shift another one", () => {
  assert.equal(lineAction({ key: "ArrowDown", shiftKey: false }), "down");
  assert.equal(lineAction({ key: "ArrowDown", shiftKey: true }), "copy");
  assert.equal(lineAction({ key: "Delete", shiftKey: false }), "remove");
  assert.equal(lineAction({ key: "Delete", shiftKey: true }), undefined);
});

test("a discount says what it is: an amount unless it is a percentage", () => {
  const said = { 10: "10 off", " 10.5 ": "10.5 off", "10%": "10 %", "10 %": "10 %", "10off": "10 off", "10 off": "10 off" };
  for (const [text, words] of Object.entries(said)) assert.equal(saidDiscount(text), words);
  for (const text of ["", "%", "a lot"]) assert.equal(saidDiscount(text), text);
});
