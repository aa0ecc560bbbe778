import "./empty_page.js";
import assert from "node:assert/strict";
import { test } from "node:test";

import { certainHit, isCurrent, nextOption } from "../../static/site.js";

test("the arrow keys wrap around the options", () => {
  assert.deepEqual([-1, 0, 2].map((current) => nextOption("ArrowDown", current, 3)), [0, 1, 0]);
  assert.deepEqual([-1, 0, 2].map((current) => nextOption("ArrowUp", current, 3)), [2, 2, 1]);
  assert.equal(nextOption("ArrowDown", -1, 0), -1);
});

test("hits belong to the text without the spaces around it", () => {
  assert.ok(isCurrent("acorn", " acorn "));
  assert.ok(!isCurrent("acor", "acorn"));
  assert.ok(!isCurrent(null, ""));
});

test("the hit that is called what was typed is certain, else the only one", () => {
  assert.equal(certainHit(["Sarah Johnson", "Sarah"], " sarah "), 1);
  assert.equal(certainHit(["Zebra Ltd"], "zeb"), 0);
  assert.equal(certainHit(["Sarah", "Sarah"], "sarah"), -1);
  assert.equal(certainHit(["Sarah Johnson", "Sarah Jones"], "sarah"), -1);
  assert.equal(certainHit([], ""), -1);
});
