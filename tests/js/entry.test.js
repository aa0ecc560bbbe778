import assert from "node:assert/strict";
import { test } from "node:test";

import { isNew, isSignature, isTable } from "entry";

test("a value is looked up once, and an empty one never", () => {
  assert.equal(isNew("a@b.de", undefined), true);
  assert.equal(isNew("a@b.de", "a@b.de"), false);
  assert.equal(isNew("", undefined), false);
  assert.equal(isNew("", "a@b.de"), false);
});

test("two rows with tabs are a table, one row or a text is none", () => {
  assert.ok(isTable("Name\tEmail\r\nZoe\tzoe@zebra.example"));
  for (const text of ["", "Zoe Zebra", "Zoe\tzoe@zebra.example", "Kind regards\nZoe\nTel.\t030"]) assert.ok(!isTable(text), text);
});

test("several lines in a field of one line are a signature", () => {
  assert.equal(isSignature("Zoe Fast\nAcorn Ltd"), true);
  assert.equal(isSignature("Zoe Fast\n\n"), false);
});
