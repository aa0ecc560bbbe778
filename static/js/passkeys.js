// Passkeys and security keys. A form with data-passkey asks the browser for one when it is sent, and sends what the
// browser answers: "create" for a new one, "get" for signing in. The options stand in data-passkey-options; without
// them they are fetched from the form's address.

import { UNREACHABLE } from "live_regions";

const WORDS = {
  unknown: "This browser doesn't support passkeys, or this page isn't secure.",
  refused: "No passkey was used. Try again, or choose another method.",
  unreachable: UNREACHABLE,
};

// The options for a new passkey; `alone`: for signing in with it alone, so that the device keeps it and checks who is
// there.
export function creationOptions({ publicKey }, alone) {
  if (!alone) return publicKey;
  const selection = { residentKey: "required", requireResidentKey: true, userVerification: "required" };
  return { ...publicKey, authenticatorSelection: { ...publicKey.authenticatorSelection, ...selection } };
}

async function optionsOf(form) {
  if (form.dataset.passkeyOptions) return JSON.parse(form.dataset.passkeyOptions);
  const response = await fetch(form.action, { headers: { Accept: "application/json" } });
  return (await response.json()).request_options;
}

async function credentialFor(form, options) {
  if (form.dataset.passkey === "create") {
    const asked = creationOptions(options, form.elements.passwordless?.checked);
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(asked) });
  }
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options.publicKey);
  return navigator.credentials.get({ publicKey });
}

function tell(form, words) {
  const line = form.querySelector("[data-passkey-trouble]");
  line.textContent = words;
  line.hidden = false;
}

async function send(form) {
  if (!globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) return tell(form, WORDS.unknown);
  let options;
  try {
    options = await optionsOf(form);
  } catch {
    return tell(form, WORDS.unreachable);
  }
  try {
    const credential = await credentialFor(form, options);
    form.elements.credential.value = JSON.stringify(credential);
  } catch (error) {
    return tell(form, error.name === "SecurityError" ? WORDS.unknown : WORDS.refused);
  }
  return form.submit();
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    send(form);
  });
}
