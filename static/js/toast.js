// Toasts of deletions (templates/records/_toast.html) and of tasks that are due. It counts down on those of deletions; htmx undoes,
// and asks for the outcome.

import { announce } from "live_regions";
import { find } from "page";

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
export function makeRoom(toasts) {
  new ResizeObserver(() => document.body.style.setProperty("--toast", `${toasts.offsetHeight}px`)).observe(toasts);
}

document.querySelectorAll(".toast.left").forEach(countDown);
document.querySelectorAll("section.toasts").forEach(makeRoom);

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
  find("#main")?.focus();
});
// Fired by the server after an Undo.
document.addEventListener("record-kept", () => find("[data-leaving]")?.remove());
