// The reminder beside a statement: opens what was typed in the person's email app, or copies it. htmx notes it.

import { announce } from "live_regions";
import { make } from "page";

// The address that opens an email with this address, subject and text.
export function mailLink(to, subject, text) {
  const lines = text.replace(/\r?\n/g, "\r\n");
  return `mailto:${encodeURIComponent(to).replace(/%40|%2C/g, decodeURIComponent)}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(lines)}`;
}

function openMail(form) {
  const { to, subject, text } = form.elements;
  const link = make("a", { href: mailLink(to.value, subject.value, text.value) });
  document.body.append(link);
  link.click();
  link.remove();
}

async function copy(text) {
  let said = "The text was copied.";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    said = "Couldn't copy the text. Select it and copy it yourself.";
  }
  announce(said);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-reminder]") || !form.elements.subject.value.trim() || !form.elements.text.value.trim()) return;
  if (event.submitter?.value === "copy") copy(form.elements.text.value);
  else openMail(form);
});
