// Submit buttons: one submission, and "Saving…" at once.

import { announce } from "live_regions";
import { find } from "page";

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || form.matches("[data-theme-form], [data-download]")) return;
  if (form.hasAttribute("data-sent")) {
    event.preventDefault();
    return;
  }
  const button = event.submitter ?? find("[type=submit]", form);
  form.setAttribute("data-sent", "");
  if (!button) return;
  button.setAttribute("aria-disabled", "true"); // not disabled: its name and value must be sent
  if (button.dataset.saving) {
    button.dataset.label = button.innerHTML; // with its keys
    button.textContent = button.dataset.saving;
    announce(button.dataset.saving);
  }
});

function enableSubmit(root) {
  for (const form of [root, ...root.querySelectorAll("[data-sent]")]) form.removeAttribute?.("data-sent");
  for (const button of root.querySelectorAll("[aria-disabled=true][type=submit]")) {
    button.removeAttribute("aria-disabled");
    if (button.dataset.label) button.innerHTML = button.dataset.label;
  }
}
document.addEventListener("not-sent", (event) => enableSubmit(event.target)); // drafts.js, session.js
// The browser's back button may show this page with its buttons still disabled.
addEventListener("pageshow", (event) => event.persisted && enableSubmit(document));
document.addEventListener("htmx:afterRequest", (event) => enableSubmit(event.detail.elt.closest("form") ?? document.body));
