import assert from "node:assert/strict";
import { test } from "node:test";

import { stageBeside } from "board";

test("a card goes to the stage before or after, and not beyond the ends", () => {
  const stages = ["enquiry", "meeting", "won"];
  assert.equal(stageBeside(stages, "enquiry", 1), "meeting");
  assert.equal(stageBeside(stages, "won", -1), "meeting");
  assert.equal(stageBeside(stages, "won", 1), undefined);
  assert.equal(stageBeside(stages, "enquiry", -1), undefined);
  assert.equal(stageBeside(stages, "gone", 1), undefined);
});
