import assert from "node:assert/strict";
import { test } from "node:test";

import { matchingOptions } from "lines/items";

const option = (id, value) => ({ value, dataset: { id } });
const values = (options) => options.map(({ value }) => value);
const STOCK = [option("501", "Consulting hour"), option("7", "Hour of travel"), option("12", "Paper, 501 sheets")];

test("items that start with the text come before those that contain it", () => {
  assert.deepEqual(values(matchingOptions(STOCK, "hour")), ["Hour of travel", "Consulting hour"]);
});

test("the item that is called exactly what is typed comes before those that start with it", () => {
  const options = [option("7", "Hour of travel"), option("8", "Hour")];
  assert.deepEqual(values(matchingOptions(options, "hour")), ["Hour", "Hour of travel"]);
});

test("case and surrounding white space do not matter", () => {
  assert.deepEqual(values(matchingOptions(STOCK, "  CONS ")), ["Consulting hour"]);
});

test("a whole id finds its item first, a part of an id does not", () => {
  assert.deepEqual(values(matchingOptions(STOCK, "501")), ["Consulting hour", "Paper, 501 sheets"]);
  assert.deepEqual(values(matchingOptions(STOCK, "1")), ["Paper, 501 sheets"]);
});

test("an empty text matches nothing", () => {
  assert.deepEqual(matchingOptions(STOCK, " "), []);
});

test("at most eight items are suggested", () => {
  const many = Array.from({ length: 20 }, (_, index) => option(String(index), `Item ${index}`));
  assert.equal(matchingOptions(many, "item").length, 8);
});
