import assert from "node:assert/strict";
import { test } from "node:test";

import { canStay, maySave, nextCheck } from "session";

const MINUTE = 60_000;

test("the session is checked when the warning is due, two minutes before its end", () => {
  assert.equal(nextCheck(30 * MINUTE, { hasWarned: false }), 28 * MINUTE);
  assert.equal(nextCheck(2 * MINUTE, { hasWarned: false }), 0);
  assert.equal(nextCheck(-MINUTE, { hasWarned: false }), 0);
});

test("after the warning the session is checked at its end, at most twice a second", () => {
  assert.equal(nextCheck(MINUTE, { hasWarned: true }), MINUTE);
  assert.equal(nextCheck(10, { hasWarned: true }), 500);
  assert.equal(nextCheck(-MINUTE, { hasWarned: true }), 500);
});

test("a session of more than 24 days fits into a browser's timer", () => {
  assert.equal(nextCheck(90 * 24 * 60 * MINUTE, { hasWarned: false }), 2_147_483_647);
});

test("a save trusts an answer of the last 20 seconds about a session that goes on", () => {
  assert.ok(maySave({ timeLeft: 30 * MINUTE, sinceCheck: 19_999 }));
  assert.ok(!maySave({ timeLeft: 30 * MINUTE, sinceCheck: 20_000 }));
});

test("a save checks first if the session ends within five seconds", () => {
  assert.ok(maySave({ timeLeft: 5_001, sinceCheck: 0 }));
  assert.ok(!maySave({ timeLeft: 5_000, sinceCheck: 0 }));
});

test("staying signed in is offered unless the session ends for good", () => {
  assert.ok(canStay({ endsAt: 10 * MINUTE, lastAt: 11 * 60 * MINUTE }));
  assert.ok(!canStay({ endsAt: 10 * MINUTE, lastAt: 10 * MINUTE + 1_000 }));
});
