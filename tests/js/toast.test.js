import assert from "node:assert/strict";
import { test } from "node:test";

import { secondsLeft } from "toast";

test("a started second counts as a whole one", () => {
  assert.equal(secondsLeft(10_000, 0), 10);
  assert.equal(secondsLeft(10_000, 1), 10);
  assert.equal(secondsLeft(10_000, 9_999), 1);
});

test("the countdown ends at 0, also if the timer fires late", () => {
  assert.equal(secondsLeft(10_000, 10_000), 0);
  assert.equal(secondsLeft(10_000, 60_000), 0);
});
