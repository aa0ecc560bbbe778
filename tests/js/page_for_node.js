// Gives Node what the modules of static/js/ find in a browser: their import map, and just enough of an empty page.
// Run from the root of the repository: node --import ./tests/js/page_for_node.js --test tests/js/*.test.js

import { existsSync } from "node:fs";
import { registerHooks } from "node:module";

const MODULES = new URL("../../static/js/", import.meta.url);

registerHooks({
  resolve(name, context, next) {
    const found = new URL(`${name}.js`, MODULES);
    return next(existsSync(found) ? found.href : name, context);
  },
});

class EmptyElement {}

const ignore = () => {};

Object.assign(globalThis, {
  addEventListener: ignore,
  customElements: { define: ignore },
  document: {
    addEventListener: ignore,
    documentElement: { dataset: { root: "/" } },
    querySelector: () => null,
    querySelectorAll: () => [],
  },
  history: {},
  HTMLElement: EmptyElement,
  location: { pathname: "/", search: "" },
});
