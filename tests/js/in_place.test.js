import assert from "node:assert/strict";
import { test } from "node:test";

import { placeAfter } from "in_place";

test("Tab goes on to the next place, Shift+Tab to the one before, and neither beyond the ends", () => {
  const all = ["email", "phone", "address"];
  assert.equal(placeAfter(all, "email", { back: false }), "phone");
  assert.equal(placeAfter(all, "phone", { back: true }), "email");
  assert.equal(placeAfter(all, "address", { back: false }), undefined);
  assert.equal(placeAfter(all, "email", { back: true }), undefined);
  assert.equal(placeAfter(all, "gone", { back: false }), undefined);
});
