import assert from "node:assert/strict";
import { test } from "node:test";

import { failureMessage } from "htmx_setup";
import { isBelow, isSameList, neighbours } from "list_return";
import { themeCookie } from "theme";

test("a failed read and a failed write of unknown status get different messages", () => {
  assert.match(failureMessage(500, { reading: true }), /load this/);
  assert.match(failureMessage(500, { reading: false }), /Check whether this was saved/);
});

test("a known status has its own message whatever was requested", () => {
  assert.match(failureMessage(0, { reading: true }), /reach Entry Desk/);
  for (const status of [401, 403, 404, 413, 429]) {
    assert.equal(failureMessage(status, { reading: true }), failureMessage(status, { reading: false }));
  }
});

test("a chosen theme is kept for a year, and the system's theme deletes the cookie", () => {
  assert.equal(themeCookie("__Host-theme", "dark", { secure: true }), "__Host-theme=dark; path=/; max-age=31536000; samesite=lax; secure");
  assert.equal(themeCookie("theme", "", { secure: false }), "theme=; path=/; max-age=0; samesite=lax");
});

test("a row gets the focus back after its record or its edit form, and after no other page", () => {
  assert.ok(isBelow("https://desk.example.com/contacts/12/", "/contacts/12/"));
  assert.ok(isBelow("https://desk.example.com/contacts/12/edit/?x=1", "/contacts/12/"));
  assert.ok(!isBelow("https://desk.example.com/contacts/123/", "/contacts/12/"));
  assert.ok(!isBelow("", "/contacts/12/"));
});

test("a list is opened from itself, or from the pages that save its views", () => {
  assert.ok(isSameList("https://desk.example.com/deals/?view=v1", "/deals/"));
  assert.ok(isSameList("https://desk.example.com/deals/views/save/?x=1", "/deals/"));
  assert.ok(!isSameList("https://desk.example.com/deals/12/", "/deals/"));
  assert.ok(!isSameList("", "/deals/"));
});

test("the neighbours of a record are the rows beside it", () => {
  assert.deepEqual(neighbours(["/a/", "/b/", "/c/"], "/b/"), ["/a/", "/c/"]);
  assert.deepEqual(neighbours(["/a/", "/b/"], "/a/"), [undefined, "/b/"]);
  assert.deepEqual(neighbours(["/a/"], "/z/"), []);
});
