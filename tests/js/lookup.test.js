import assert from "node:assert/strict";
import { test } from "node:test";

import { Lookup } from "lookup";

// A lookup whose loads are answered by hand, ignore that they were given up, and are reported in `log`.
function manualLookup(options = {}) {
  const loads = {};
  const log = [];
  const lookup = new Lookup({
    load: (query) => new Promise((resolve, reject) => {
      (loads[query] ??= []).push({ resolve, reject });
    }),
    onAnswer: (query, answer) => log.push([query, answer]),
    onFailure: () => log.push("failed"),
    ...options,
  });
  return { lookup, loads, log };
}

const wait = (delay = 0) => new Promise((resolve) => {
  setTimeout(resolve, delay);
});

test("an answer is reported with its query", async () => {
  const { lookup, loads, log } = manualLookup();
  lookup.ask("zeb");
  assert.equal(lookup.isPending, true);
  await wait(5);
  loads.zeb[0].resolve("Zebra");
  await wait();
  assert.deepEqual(log, [["zeb", "Zebra"]]);
  assert.equal(lookup.isPending, false);
});

test("only the answer to the last query is reported, in whatever order answers come", async () => {
  const { lookup, loads, log } = manualLookup();
  for (const query of ["z", "ze", "zeb"]) {
    lookup.ask(query);
    await wait(5);
  }
  loads.zeb[0].resolve("third");
  loads.ze[0].reject(new Error());
  await wait();
  loads.z[0].resolve("first");
  await wait();
  assert.deepEqual(log, [["zeb", "third"]]);
});

test("a cancelled query reports neither an answer nor a failure", async () => {
  const { lookup, loads, log } = manualLookup();
  lookup.ask("z");
  lookup.ask("ze");
  await wait(5);
  lookup.cancel();
  loads.ze[0].resolve("late");
  await wait();
  assert.deepEqual(log, []);
  assert.deepEqual(Object.keys(loads), ["ze"]);
});

test("the same query is sent once, and at once if it is asked again before its delay is over", async () => {
  const { lookup, loads } = manualLookup();
  lookup.ask("zeb", 60_000);
  lookup.ask("zeb");
  await wait(5);
  lookup.ask("zeb");
  await wait(5);
  assert.equal(loads.zeb.length, 1);
  lookup.cancel();
});

test("a failed load is reported, and the same query can be asked again", async () => {
  const { lookup, loads, log } = manualLookup();
  lookup.ask("zeb");
  await wait(5);
  loads.zeb[0].reject(new Error("502"));
  await wait();
  lookup.ask("zeb");
  await wait(5);
  loads.zeb[1].resolve("Zebra");
  await wait();
  assert.deepEqual(log, ["failed", ["zeb", "Zebra"]]);
});

test("a load without an answer fails after the timeout, and its late answer is ignored", async () => {
  const { lookup, loads, log } = manualLookup({ timeout: 5 });
  lookup.ask("zeb");
  await wait(50);
  loads.zeb[0].resolve("late");
  await wait();
  assert.deepEqual(log, ["failed"]);
});
