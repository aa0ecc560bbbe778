import assert from "node:assert/strict";
import { test } from "node:test";

import { submittedPairs } from "quick_form";

test("unchecked radio buttons and checkboxes are not submitted", () => {
  const fields = [
    { type: "text", name: "name", value: "Zoe" },
    { type: "radio", name: "kind", value: "a", checked: false },
    { type: "radio", name: "kind", value: "b", checked: true },
    { type: "checkbox", name: "vip", value: "on", checked: false },
  ];
  assert.deepEqual(submittedPairs(fields), [["name", "Zoe"], ["kind", "b"]]);
});
