import assert from "node:assert/strict";
import { test } from "node:test";

import { blockOf, filled, inColumn } from "import_cells";

// Cells to fix, in reading order:   . b c
//                                    a . c
//                                    a . .
const places = [[1, 2], [1, 3], [2, 1], [2, 3], [3, 1]].map(([row, column]) => ({ row, column }));

test("down and up stay in the column", () => {
  assert.equal(inColumn(places, 1, 1), 3);
  assert.equal(inColumn(places, 3, -1), 1);
  assert.equal(inColumn(places, 2, 1), 4);
});

test("where the column has no other cell, they lead nowhere", () => {
  for (const [at, step] of [[0, 1], [3, 1], [4, 1], [0, -1]]) assert.equal(inColumn(places, at, step), -1);
});

test("a pasted block is read as its rows and cells", () => {
  assert.deepEqual(blockOf("a\tb\r\nc\t d\r\n"), [["a", "b"], ["c", "d"]]);
  assert.deepEqual(blockOf("one"), [["one"]]);
  assert.deepEqual(blockOf("a\n\nb"), [["a"], [""], ["b"]]);
});

test("a block fills the rows with a cell in its first column, and only cells to fix", () => {
  assert.deepEqual(filled(places, 1, [["x"], ["y"], ["z"]]), [[1, "x"], [3, "y"]]);
  assert.deepEqual(filled(places, 2, [["x", "no", "y"], ["z"]]), [[2, "x"], [3, "y"], [4, "z"]]);
});
