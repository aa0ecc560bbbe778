import assert from "node:assert/strict";
import { test } from "node:test";

import { encodeFields, retryDelay, storedMessage } from "drafts";

test("fields are encoded in order, repeated names included", () => {
  assert.equal(encodeFields([["tag", "1"], ["name", "A & B"], ["tag", "2"]]), "tag=1&name=A+%26+B&tag=2");
});

test("tokens, the draft's id and files are left out", () => {
  const file = new File(["x"], "x.txt");
  const fields = [["csrfmiddlewaretoken", "c"], ["token", "t"], ["draft", "d"], ["photo", file], ["name", ""]];
  assert.equal(encodeFields(fields), "name=");
});

test("attempts become rarer and stop at one a minute", () => {
  assert.deepEqual([0, 1, 2, 3, 4, 100].map(retryDelay), [5_000, 15_000, 30_000, 60_000, 60_000, 60_000]);
});

test("a stored draft shows the time and is no problem", () => {
  assert.deepEqual(storedMessage(200, "14:30"), { message: "Kept as unfinished, 14:30", isProblem: false });
});

test("nothing is said to be kept of a form that is empty again", () => {
  assert.deepEqual(storedMessage(200, "14:30", false), { message: "", isProblem: false });
});

test("a draft that is too long or one too many is a problem", () => {
  for (const status of [409, 413]) assert.equal(storedMessage(status, "14:30").isProblem, true);
  assert.match(storedMessage(413, "14:30").message, /too long/);
  assert.match(storedMessage(409, "14:30").message, /too many/);
});

test("a form that the server cannot read as a draft shows nothing", () => {
  assert.deepEqual(storedMessage(400, "14:30"), { message: "", isProblem: false });
});
