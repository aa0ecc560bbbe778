import "./empty_page.js";
import assert from "node:assert/strict";
import { test } from "node:test";

import { certainMatch, nextIndex } from "../../static/form.js";

const match = (id, more) => ({ dataset: { id, title: `Contact ${id}`, ...more } });
const CREATE = { dataset: { create: "Zoe" } };
const EMPTY_CREATE = { dataset: { create: "" } };

test("the only match is certain, with or without an offer to create", () => {
  const only = match("7");
  for (const options of [[only], [only, CREATE], [only, EMPTY_CREATE]]) assert.equal(certainMatch(options), only);
});

test("of several matches none is certain", () => {
  assert.equal(certainMatch([match("7"), match("8")]), null);
  assert.equal(certainMatch([match("7"), match("8"), CREATE]), null);
});

test("of several matches the one that the server marks as exact is certain", () => {
  const exact = match("8", { exact: "" });
  assert.equal(certainMatch([match("7"), exact, CREATE]), exact);
});

test("an offer to create is not certain, nor is an empty list", () => {
  assert.equal(certainMatch([CREATE]), null);
  assert.equal(certainMatch([]), null);
});

test("arrow keys wrap around the options", () => {
  assert.deepEqual([0, 1, 2].map((index) => nextIndex("ArrowDown", index, 3)), [1, 2, 0]);
  assert.deepEqual([0, 1, 2].map((index) => nextIndex("ArrowUp", index, 3)), [2, 0, 1]);
});

test("without a highlighted option the arrow keys go to the first and the last", () => {
  assert.equal(nextIndex("ArrowDown", -1, 3), 0);
  assert.equal(nextIndex("ArrowUp", -1, 3), 2);
});
