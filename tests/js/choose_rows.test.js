import assert from "node:assert/strict";
import { test } from "node:test";

import { between } from "choose_rows";

test("a range goes from one row to another, in either direction", () => {
  assert.deepEqual(between(2, 5), [2, 3, 4, 5]);
  assert.deepEqual(between(5, 2), [2, 3, 4, 5]);
  assert.deepEqual(between(3, 3), [3]);
});
