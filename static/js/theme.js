// The theme of the pages: light, dark, or the system's.

import { find } from "page";

const YEAR = 31536000; // seconds

// An empty theme deletes the cookie, so that the page follows the system.
export function themeCookie(name, theme, { secure }) {
  return `${name}=${theme}; path=/; max-age=${theme ? YEAR : 0}; samesite=lax${secure ? "; secure" : ""}`;
}

// The bar of a phone's browser has the colour of the page.
function colourBar() {
  const colour = getComputedStyle(document.body).backgroundColor;
  for (const meta of document.querySelectorAll("meta[name=theme-color]")) meta.content = colour;
}

addEventListener("pageshow", colourBar);

document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (!event.target.matches("[data-theme-form]") || button?.name !== "theme") return;
  event.preventDefault();
  document.cookie = themeCookie(event.target.dataset.themeForm, button.value, { secure: location.protocol === "https:" });
  if (button.value) document.documentElement.dataset.theme = button.value;
  else delete document.documentElement.dataset.theme;
  find("meta[name=color-scheme]").content = button.value || "light dark";
  for (const other of event.target.querySelectorAll("[name=theme]")) {
    other.setAttribute("aria-pressed", String(other === button));
  }
  colourBar();
});
