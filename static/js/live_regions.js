// Messages: #announcer for screen readers, #alerts for everyone.

import { find, make, onPage } from "page";

export const UNREACHABLE = "Can't reach Entry Desk. Check your network.";

export function announce(message) {
  const region = find("#announcer");
  if (region) region.textContent = message;
}

export function showAlert(message, retryUrl) {
  const region = find("#alerts");
  if (!region) return;
  const text = make("p", { textContent: message });
  if (retryUrl) text.append(" ", tryAgain(retryUrl));
  const icon = find(".i")?.cloneNode(true); // one that the page has
  const drawn = icon?.firstChild;
  drawn?.setAttribute("href", drawn.getAttribute("href").replace(/#.*/, "#circle-alert"));
  const note = make("div", { className: "notice bad" }, icon ?? "", text);
  region.replaceChildren(note);
  addCloseButton(note);
}

export const tryAgain = (url, classes = "") => make("a", { href: url, className: classes, textContent: "Try again" });

// It works with JavaScript only.
function addCloseButton(note) {
  if (find(".close", note)) return;
  const close = make("button", { type: "button", className: "close", textContent: "×", ariaLabel: "Dismiss" });
  close.addEventListener("click", () => {
    note.remove();
    find("#main")?.focus();
  });
  note.append(close);
}

// Fired by the server (HX-Trigger: {"announce": "25 of 431 contacts"}).
document.addEventListener("announce", (event) => announce(event.detail.value));

onPage(() => {
  for (const note of document.querySelectorAll("#messages .notice, #alerts .notice")) addCloseButton(note);
  // Screen readers announce changes only.
  const notes = [...document.querySelectorAll("#alerts .notice p, #messages .notice p")].map((p) => p.textContent);
  if (notes.length) setTimeout(() => announce(notes.join(" ")), 200);
});
