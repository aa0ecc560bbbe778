import assert from "node:assert/strict";
import { test } from "node:test";

import { BEFORE, dueNow, nextWait, withAnswer } from "due";

const AT = 100_000_000;
const state = (values) => ({ asked: 0, due: [[7, AT]], told: {}, ...values });

test("a task is told from ten minutes before it is due until then, once", () => {
  assert.deepEqual(dueNow(state(), AT - BEFORE - 1), []);
  assert.deepEqual(dueNow(state(), AT - BEFORE), [[7, AT]]);
  assert.deepEqual(dueNow(state(), AT), []);
  assert.deepEqual(dueNow(state({ told: { [`7@${AT}`]: true } }), AT - BEFORE), []);
});

test("a task that was moved is told again", () => {
  const moved = state({ due: [[7, AT + 1]], told: { [`7@${AT}`]: true } });
  assert.deepEqual(dueNow(moved, AT), [[7, AT + 1]]);
});

test("the next thing to do is to tell or to ask, whichever comes first", () => {
  const now = AT - BEFORE - 500;
  assert.equal(nextWait(state({ asked: now }), now, 1000), 500);
  assert.equal(nextWait(state({ asked: now }), now, 300), 300);
  assert.equal(nextWait(state({ asked: now, told: { [`7@${AT}`]: true } }), now, 1000), 1000);
  assert.equal(nextWait(state({ asked: now - 5000 }), now, 1000), 0);
});

test("what was told is forgotten once it is over", () => {
  const told = { [`7@${AT}`]: true, [`8@${AT + 10}`]: true };
  assert.deepEqual(withAnswer(state({ told }), [], AT), state({ due: [], told: { [`8@${AT + 10}`]: true } }));
});
