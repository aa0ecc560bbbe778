// Just enough of an empty page for the scripts in static/ to be imported by Node. Import it before them.

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
  HTMLElement: EmptyElement,
});
