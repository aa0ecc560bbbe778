import assert from "node:assert/strict";
import { test } from "node:test";

import { groupShortcuts, matchShortcut, nextRow, saveCommand } from "keys";

test("a whole shortcut matches exactly, its first key as a prefix", () => {
  const shortcuts = ["e", "g c", "g i"];
  assert.equal(matchShortcut("e", shortcuts), "exact");
  assert.equal(matchShortcut("g", shortcuts), "prefix");
  assert.equal(matchShortcut("g i", shortcuts), "exact");
  assert.equal(matchShortcut("g x", shortcuts), "none");
  assert.equal(matchShortcut("c", shortcuts), "none");
  assert.equal(matchShortcut("C", ["Ctrl S"]), "none");
});

test("a shortcut of one key wins over a sequence that starts with it", () => {
  assert.equal(matchShortcut("g", ["g c", "g"]), "exact");
});

test("j and k wrap around the rows", () => {
  assert.deepEqual([0, 1, 2].map((current) => nextRow("j", current, 3)), [1, 2, 0]);
  assert.deepEqual([0, 1, 2].map((current) => nextRow("k", current, 3)), [2, 0, 1]);
});

test("the arrows move as j and k do", () => {
  assert.deepEqual([0, 1, 2].map((current) => nextRow("ArrowDown", current, 3)), [1, 2, 0]);
  assert.deepEqual([0, 1, 2].map((current) => nextRow("ArrowUp", current, 3)), [2, 0, 1]);
});

test("the shortcuts are listed once, in groups without an empty one", () => {
  const page = [["e", "Edit"], ["g c", "Contacts"], ["g c", "Again"], ["?", "Known"]];
  assert.deepEqual(groupShortcuts([["Anywhere", [["?", "This list"]]]], page), [
    ["Anywhere", [["?", "This list"]]],
    ["On this page", [["e", "Edit"]]],
    ["Go to", [["g c", "Contacts"]]],
  ]);
});

test("without a focused row, j starts at the first and k at the last", () => {
  assert.equal(nextRow("j", -1, 3), 0);
  assert.equal(nextRow("k", -1, 3), 2);
});

test("Ctrl with S or Enter saves; Shift adds a new form to Enter only", () => {
  assert.equal(saveCommand({ key: "s", shiftKey: false }), "save");
  assert.equal(saveCommand({ key: "S", shiftKey: true }), "save");
  assert.equal(saveCommand({ key: "Enter", shiftKey: false }), "save");
  assert.equal(saveCommand({ key: "Enter", shiftKey: true }), "save-new");
  assert.equal(saveCommand({ key: "p", shiftKey: false }), null);
});
