import assert from "node:assert/strict";
import { test } from "node:test";

import { sentPairs, typedParts } from "change_page";

test("a tab leads what is typed on to the next field", () => {
  assert.deepEqual(typedParts("Zoe Fast\tzoe@fast.example"), ["Zoe Fast", "zoe@fast.example"]);
  assert.deepEqual(typedParts(""), [""]);
});

test("a form is sent as a browser sends it: lines end with CR and LF, files are left out", () => {
  const pairs = [["note", "one\ntwo\r\nthree"], ["name", "Zoe"], ["file", {}]];
  assert.deepEqual(sentPairs(pairs), [["note", "one\r\ntwo\r\nthree"], ["name", "Zoe"]]);
});
