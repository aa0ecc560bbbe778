import assert from "node:assert/strict";
import { test } from "node:test";

import { withTime } from "days";

test("choosing a day keeps the time that the server has read", () => {
  assert.equal(withTime("2026-03-15", { time: "14:30", text: "fri 2:30pm" }), "2026-03-15 14:30");
});

test("choosing a day keeps the time at the end of a text that the server has not read", () => {
  assert.equal(withTime("2026-03-15", { time: "", text: "2026-01-02 09:05:30" }), "2026-03-15 09:05:30");
});

test("without a time only the day remains", () => {
  assert.equal(withTime("2026-03-15", { time: "", text: "15/3" }), "2026-03-15");
  assert.equal(withTime("2026-03-15", { time: "", text: "9:00 tomorrow" }), "2026-03-15");
});
