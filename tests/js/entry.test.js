import "./empty_page.js";
import assert from "node:assert/strict";
import { test } from "node:test";

import { isNew } from "../../static/entry.js";

test("a value is looked up once, and an empty one never", () => {
  assert.equal(isNew("a@b.de", undefined), true);
  assert.equal(isNew("a@b.de", "a@b.de"), false);
  assert.equal(isNew("", undefined), false);
  assert.equal(isNew("", "a@b.de"), false);
});
