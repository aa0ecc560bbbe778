import assert from "node:assert/strict";
import { test } from "node:test";

import { certainOption, nextIndex, READING_TIME, ShownOptions } from "listbox";

// A list whose painting is told by hand: paint(time) calls back for the drawing before last, as late frames do, too.
function list() {
  const waiting = [];
  const shown = new ShownOptions((callback) => waiting.push(callback));
  return { shown, paint: (time) => waiting.shift()(time) };
}

test("an option is read once its list was on the screen for the time of reading", () => {
  const { shown, paint } = list();
  shown.show("a,b");
  assert.equal(shown.isRead(1e9), false); // not painted yet
  paint(1000);
  for (const after of [0, 30, 60, 120, READING_TIME - 1]) assert.equal(shown.isRead(1000 + after), false);
  assert.equal(shown.isRead(1000 + READING_TIME), true);
});

test("a key that was pressed before the list was painted has read nothing", () => {
  const { shown, paint } = list();
  shown.show("a,b");
  paint(1000);
  assert.equal(shown.isRead(400), false);
});

test("an option that an arrow key reached is read at once", () => {
  const { shown, paint } = list();
  shown.show("a,b");
  paint(1000);
  shown.reach();
  assert.equal(shown.isRead(1001), true);
});

test("other options are read anew, the same ones are not", () => {
  const { shown, paint } = list();
  shown.show("a,b");
  paint(1000);
  shown.show("a,b");
  assert.equal(shown.isRead(1500), true);
  shown.reach();
  shown.show("a");
  assert.equal(shown.isRead(1500), false);
  paint(1500);
  assert.equal(shown.isRead(1600), false);
});

test("a list that was closed is read anew, and is not taken for the one before it", () => {
  const { shown, paint } = list();
  shown.show("a,b");
  shown.hide();
  shown.show("a,b");
  paint(1000); // of the first drawing
  assert.equal(shown.isRead(1500), false);
  paint(1600);
  assert.equal(shown.isRead(2000), true);
  shown.hide();
  assert.equal(shown.isRead(3000), false);
});

const isCalled = (option) => option === "called";

test("the only option that is called what was typed is certain, else the only one", () => {
  assert.equal(certainOption(["another", "called"], isCalled), "called");
  assert.equal(certainOption(["another"], isCalled), "another");
  for (const options of [["another", "a third"], ["called", "called"], []]) assert.equal(certainOption(options, isCalled), undefined);
});

test("arrow keys wrap around the options", () => {
  assert.deepEqual([0, 1, 2].map((index) => nextIndex("ArrowDown", index, 3)), [1, 2, 0]);
  assert.deepEqual([0, 1, 2].map((index) => nextIndex("ArrowUp", index, 3)), [2, 0, 1]);
});

test("without a highlighted option the arrow keys go to the first and the last", () => {
  assert.equal(nextIndex("ArrowDown", -1, 3), 0);
  assert.equal(nextIndex("ArrowUp", -1, 3), 2);
});
