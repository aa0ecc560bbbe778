import "./empty_page.js";
import assert from "node:assert/strict";
import { test } from "node:test";

import { nextIndex, onlyMatch, submittedPairs } from "../../static/picker.js";

const match = (id) => ({ dataset: { id, title: `Contact ${id}` } });
const CREATE = { dataset: { create: "Zoe" } };

test("the only match is accepted, with or without an offer to create", () => {
  const only = match("7");
  assert.equal(onlyMatch([only]), only);
  assert.equal(onlyMatch([only, CREATE]), only);
});

test("of several matches none is accepted", () => {
  assert.equal(onlyMatch([match("7"), match("8")]), null);
  assert.equal(onlyMatch([match("7"), match("8"), CREATE]), null);
});

test("an offer to create is not accepted by itself, nor an empty list", () => {
  assert.equal(onlyMatch([CREATE]), null);
  assert.equal(onlyMatch([]), null);
});

test("an offer to create with an empty text still counts as an offer", () => {
  const only = match("7");
  assert.equal(onlyMatch([only, { dataset: { create: "" } }]), only);
});

test("arrow keys wrap around the options", () => {
  assert.deepEqual([0, 1, 2].map((index) => nextIndex("ArrowDown", index, 3)), [1, 2, 0]);
  assert.deepEqual([0, 1, 2].map((index) => nextIndex("ArrowUp", index, 3)), [2, 0, 1]);
  assert.equal(nextIndex("ArrowDown", -1, 3), 0);
});

test("unchecked radio buttons and checkboxes are not submitted", () => {
  const fields = [
    { type: "text", name: "name", value: "Zoe" },
    { type: "radio", name: "kind", value: "a", checked: false },
    { type: "radio", name: "kind", value: "b", checked: true },
    { type: "checkbox", name: "vip", value: "on", checked: false },
  ];
  assert.deepEqual(submittedPairs(fields), [["name", "Zoe"], ["kind", "b"]]);
});
