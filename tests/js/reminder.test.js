import assert from "node:assert/strict";
import { test } from "node:test";

import { mailLink } from "reminder";

test("a mail keeps its lines and whatever stands in them", () => {
  const link = new URL(mailLink("a@b.eu", "50 % & more?", "One\nTwo\r\nÜ #3 + 4"));
  assert.equal(link.protocol, "mailto:");
  assert.equal(link.pathname, "a@b.eu");
  const parts = new URLSearchParams(link.search);
  assert.equal(parts.get("subject"), "50 % & more?");
  assert.equal(parts.get("body"), "One\r\nTwo\r\nÜ #3 + 4");
});

test("an address cannot add fields to the mail", () => {
  const link = mailLink("a@b.eu?bcc=x@y.eu", "S", "T");
  assert.equal(link.split("?").length, 2);
  assert.equal(new URLSearchParams(new URL(link).search).get("bcc"), null);
});

test("several addresses stay several", () => {
  assert.match(mailLink("a@b.eu,c@d.eu", "S", "T"), /^mailto:a@b\.eu,c@d\.eu\?/);
});
