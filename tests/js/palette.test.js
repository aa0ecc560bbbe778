import assert from "node:assert/strict";
import { test } from "node:test";

import { isCurrent } from "palette";

test("hits belong to the text without the spaces around it", () => {
  assert.ok(isCurrent("acorn", " acorn "));
  assert.ok(!isCurrent("acor", "acorn"));
  assert.ok(!isCurrent(null, ""));
});
