// Counts down on the toasts of deletions (templates/records/_toast.html). htmx undoes and asks for the outcome.

import { announce } from "live_regions";

// Whole seconds from now until end (both in ms), rounded up, at least 0.
export function secondsLeft(end, now) {
  return Math.max(Math.ceil((end - now) / 1000), 0);
}

const LONGEST = 8; // seconds, as the animation in site.css

function countDown(toast) {
  const seconds = Number(toast.dataset.toast);
  const end = Date.now() + seconds * 1000;
  toast.style.setProperty("--begun", `${seconds - LONGEST}s`);
  const timer = setInterval(() => {
    const left = secondsLeft(end, Date.now());
    toast.querySelector("[data-seconds]").textContent = left;
    if (!toast.isConnected || left === 0) clearInterval(timer);
  }, 250);
}

// Messages stand above the toasts, however many lines those have (--toast in site.css).
function makeRoom(toasts) {
  document.body.style.setProperty("--toast", `${toasts.offsetHeight}px`);
}

for (const toast of document.querySelectorAll(".toast.left")) countDown(toast);
for (const toasts of document.querySelectorAll("section.toasts")) {
  new ResizeObserver(() => makeRoom(toasts)).observe(toasts);
}

// A screen reader announces what changes, not what the page was loaded with. A deletion that was undone meanwhile is left out.
setTimeout(() => {
  const words = [...document.querySelectorAll(".toast.left > span")].map((span) => `${span.textContent}. Press z to undo.`);
  words.push(...[...document.querySelectorAll(".toast > [data-announce]")].map((span) => span.textContent));
  if (words.length) announce(words.join(" "));
}, 400);

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-close-toast]");
  if (!button) return;
  button.closest(".toast").remove();
  document.querySelector("#main")?.focus();
});
// Fired by the server after an Undo.
document.addEventListener("record-kept", () => document.querySelector("[data-leaving]")?.remove());
