import assert from "node:assert/strict";
import { test } from "node:test";

import "./empty_page.js";
import { sentPairs, typedParts, withoutVersion } from "../../static/change_page.js";

test("a tab leads what is typed on to the next field", () => {
  assert.deepEqual(typedParts("Zoe Fast\tzoe@fast.example"), ["Zoe Fast", "zoe@fast.example"]);
  assert.deepEqual(typedParts(""), [""]);
});

test("a form is sent as a browser sends it: lines end with CR and LF, files are left out", () => {
  const pairs = [["note", "one\ntwo\r\nthree"], ["name", "Zoe"], ["file", {}]];
  assert.deepEqual(sentPairs(pairs), [["note", "one\r\ntwo\r\nthree"], ["name", "Zoe"]]);
});

test("two versions of a script have the same address without them", () => {
  assert.equal(withoutVersion("https://desk.example/static/form.0123456789ab.js"), "https://desk.example/static/form.js");
  assert.equal(withoutVersion("https://desk.example/static/form.js"), "https://desk.example/static/form.js");
});
