import assert from "node:assert/strict";
import { test } from "node:test";

import { cellOf, numbered } from "lines/rows";

test("a field says by its name which cell it is for", () => {
  assert.equal(cellOf("line-3-item_name"), "item_name");
  assert.equal(cellOf("line-KEY-price"), "price");
});

test("a label keeps its words when its line gets another number", () => {
  assert.equal(numbered("Price, line 12", 3), "Price, line 3");
});
