import assert from "node:assert/strict";
import { test } from "node:test";

import { creationOptions } from "passkeys";

const OPTIONS = { publicKey: { challenge: "c", authenticatorSelection: { userVerification: "preferred", residentKey: "discouraged" } } };

test("a passkey that signs in alone is kept on the device, which checks who is there", () => {
  const asked = creationOptions(OPTIONS, true);
  assert.deepEqual(asked.authenticatorSelection, { residentKey: "required", requireResidentKey: true, userVerification: "required" });
  assert.equal(asked.challenge, "c");
});

test("any other key is asked for as the dashboard says", () => {
  assert.deepEqual(creationOptions(OPTIONS, false), OPTIONS.publicKey);
  assert.deepEqual(creationOptions(OPTIONS, undefined), OPTIONS.publicKey);
});
