// A dialog that finds records, pages and commands. Enter opens the chosen hit, Ctrl+Enter saves an entry in one line: a key
// that comes before the hits waits for them.

import { Listbox } from "listbox";
import { Lookup } from "lookup";
import { csrfToken, find, make } from "page";

const PAUSE = 120; // ms after the last key before the service is asked
const AGAIN = 2000; // ms between two questions how many contacts were read

export const isCurrent = (foundFor, text) => foundFor === text.trim();

const PALETTE = `<form class="ask" role="search">
<input type="text" name="q" maxlength="400" placeholder="Search or open, + to create" aria-label="Search or jump to"
 autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">Esc</kbd></form>
<div class="found"><section id="preview" aria-label="Preview"></section></div>
<p class="unseen" role="status" data-said></p>
<footer aria-hidden="true"><span><kbd>↑</kbd><kbd>↓</kbd> choose</span><span><kbd>Enter</kbd> open</span><span><kbd>+</kbd> quick entry
</span><span><kbd>Ctrl</kbd><kbd>Enter</kbd> save</span><span><kbd>Esc</kbd> close</span></footer>`;

// The dialog, made of the form in the side.
function makeDialog(search) {
  const root = make("dialog", { className: "palette", id: "palette", innerHTML: PALETTE, ariaLabel: "Search or jump to", ariaModal: "true" });
  const form = root.querySelector("form");
  form.action = search.action;
  form.prepend(search.querySelector("svg").cloneNode(true));
  document.body.append(makeVeil(root), root);
  return root;
}

// Lies over the page. A click closes the palette.
function makeVeil(root) {
  const veil = make("div", { className: "veil", hidden: true });
  veil.addEventListener("click", () => root.close());
  return veil;
}

async function loadHits(q, signal, url) {
  const body = new URLSearchParams({ q, hits: "1", csrfmiddlewaretoken: csrfToken() });
  const answer = await fetch(url, { method: "POST", body, signal });
  if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
  return answer.text();
}

class Palette {
  constructor(root) {
    this.root = root;
    this.veil = root.previousElementSibling;
    this.form = root.querySelector("form");
    this.input = root.querySelector("input");
    this.said = root.querySelector("[data-said]");
    this.listbox = new Listbox({ className: "hits", id: "palette-hits", ariaLabel: "Hits" }, {
      isMatch: (option) => !option.closest("#further"),
      isCalled: (option, text) => option.querySelector(".cut").textContent.trim().toLowerCase() === text,
      dismiss: () => root.close(),
    });
    root.querySelector(".found").prepend(this.listbox.element);
    this.listbox.attachTo(this.input);
    this.lookup = new Lookup({
      load: (text, signal) => loadHits(text, signal, this.form.action),
      onAnswer: (text, html) => this.showHits(html, text),
      onFailure: () => this.fail(),
    });
    this.pressedKey = null; // { what: "open" or "save", time of the key }, while the hits are awaited
    this.found = null; // the text that the hits on show belong to
    this.hasFailed = false; // for the text in the field
    this.input.addEventListener("input", () => this.typed());
    root.addEventListener("keydown", (event) => this.pressed(event));
    root.addEventListener("close", () => void (this.veil.hidden = true));
    root.addEventListener("close", () => document.activeElement.matches("body") && this.opener?.focus());
    root.addEventListener("click", (event) => this.clicked(event));
    root.addEventListener("look", (event) => this.preview(event.target), { capture: true });
    root.addEventListener("htmx:beforeSwap", (event) => this.keepHighlighted(event));
  }

  open(opener) {
    if (this.root.open) return;
    this.opener = opener;
    this.found = null; // the hits of the last time are asked for again
    this.show();
    this.input.focus();
    this.input.select(); // what was typed before Escape is still there
    this.ask();
  }

  // Modal only over a dialog that is: an inert page takes a slow computer 100 ms. Instead the veil takes clicks,
  // and pressed() keeps Tab inside.
  show() {
    if (find("dialog:modal")) this.root.showModal();
    else {
      find(":popover-open")?.hidePopover();
      this.veil.hidden = false;
      this.root.show();
    }
  }

  typed() {
    this.pressedKey = null;
    this.listbox.highlight(isCurrent(this.found, this.input.value) ? this.listbox.options[0] : undefined);
    this.ask(PAUSE);
  }

  ask(delay) {
    this.hasFailed = false;
    this.root.ariaBusy = "true";
    this.lookup.ask(this.input.value.trim(), delay);
  }

  showHits(html, text) {
    const { element, shown, highlighted } = this.listbox;
    const chosen = highlighted?.href; // before the same text was asked for again
    element.innerHTML = html;
    window.htmx?.process(element); // asks for names that are still to come
    this.root.ariaBusy = null;
    const { options } = this.listbox;
    if (!options.length) this.root.querySelector("#preview").replaceChildren();
    const [first] = this.found === text ? options.filter(({ href }) => href === chosen) : [];
    this.found = text;
    this.said.textContent = options.length === 1 ? "1 hit" : `${options.length} hits`;
    shown.hide(); // a new list, even if its hits are those of the text before
    this.listbox.open(text, first ?? options[0]);
    if (this.pressedKey) this.enter(this.pressedKey);
    this.pressedKey = null;
    if (element.querySelector("[data-again]")) setTimeout(() => this.root.open && this.found === text && this.ask(), AGAIN);
  }

  fail() {
    this.hasFailed = true;
    this.found = null;
    this.root.ariaBusy = null;
    this.pressedKey = null;
    const textContent = "Search isn't responding. Press Enter to open the search page.";
    this.listbox.element.replaceChildren(make("p", { className: "wrong", textContent }));
    this.said.textContent = textContent;
  }

  // What a hit is that has no preview of its own. Those below the first ones belong to the preview that is there.
  preview(option) {
    if (option.matches("[hx-get], #further *")) return;
    const title = make("h2", { textContent: option.querySelector(".cut").textContent });
    const about = make("p", { className: "hint", textContent: option.dataset.about ?? option.querySelector(".also")?.textContent ?? "" });
    this.root.querySelector("#preview").replaceChildren(title, about);
  }

  // A late preview is that of another hit, and brings others in the place of those below the first ones.
  keepHighlighted({ detail }) {
    if (detail.target.id === "preview" && detail.requestConfig.elt !== this.listbox.highlighted) detail.shouldSwap = false;
  }

  clicked(event) {
    const theme = event.target.closest("[data-theme-choice]");
    if (theme) {
      event.preventDefault();
      find(`[name=theme][value="${theme.dataset.themeChoice}"]`).click();
    }
    if (theme || event.target === this.root) this.root.close();
  }

  pressed(event) {
    if (event.isComposing) return;
    if (event.key === "Tab") event.preventDefault();
    else if (event.key === "Enter") {
      event.preventDefault();
      this.enter({ what: event.ctrlKey || event.metaKey ? "save" : "open", time: event.timeStamp });
    } else this.listbox.handleKey(event);
  }

  // Opens or saves the chosen hit of the present text, once it is there.
  enter(key) {
    if (isCurrent(this.found, this.input.value)) this.carryOut(key.what, this.listbox.optionAt(key.time));
    else if (this.hasFailed) this.form.submit();
    else this.pressedKey = key;
  }

  carryOut(what, option) {
    const form = what === "save" && option && this.listbox.element.querySelector(`form[data-saves="${CSS.escape(option.id)}"]`);
    if (form) form.requestSubmit();
    else option?.click();
  }
}

const searchForm = find(".side .find");
let palette; // made when it is first wanted

function openPalette(opener) {
  palette ??= new Palette(makeDialog(searchForm));
  palette.open(opener);
}

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k" && searchForm) {
    event.preventDefault();
    openPalette(document.activeElement);
  }
});

for (const field of document.querySelectorAll("[data-find]")) {
  field.addEventListener("click", (event) => {
    event.preventDefault();
    openPalette(field);
  });
}
