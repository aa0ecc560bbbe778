// What modules need of any page.

export const SITE = document.documentElement.dataset.root; // the address of the start page; the site may stand below a path

export const find = (selector, root = document) => root.querySelector(selector);

// Creates an element with these properties and children.
export function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// The time of a day in words: "09:42".
export const clock = (time) => new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

export const csrfToken = () => find("[name=csrfmiddlewaretoken]")?.value ?? "";

export const whenIdle = globalThis.requestIdleCallback ?? setTimeout; // Safari has only the latter

// Null where the browser forbids storage.
export const storage = (() => {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
})();

// Calls `begin` for the page that was loaded, and for each one that change_page puts in its place.
export function onPage(begin) {
  begin();
  document.addEventListener("page-changed", begin);
}
