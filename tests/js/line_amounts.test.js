import assert from "node:assert/strict";
import { test } from "node:test";

import { rateOf } from "lines/sums";

test("the rate of an offered tax is behind the last bar of its option", () => {
  assert.equal(rateOf("61|20", "7"), "20");
  assert.equal(rateOf("a|b|7.5", ""), "7.5");
  assert.equal(rateOf("|", "7"), "");
});

test("any other rate is typed", () => {
  assert.equal(rateOf("other", "7"), "7");
  assert.equal(rateOf("61", "7"), "7");
});
