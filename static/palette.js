// The palette: one dialog that finds records, pages and commands. Opened by Ctrl+K, "/" or the search field of the
// side. Enter opens the chosen hit of the text that is in the field now, Ctrl+Enter saves an entry in one line: while its
// hits are still on their way, the key is remembered and carried out when they come. Of hits that nobody can have read yet
// (shown_options.js), a key takes only the certain one. Hits that were found for another text are never shown.

const PAUSE = 120; // ms after the last key before the service is asked
const dialog = document.querySelector("#palette");

// The index of the option that an arrow key leads to; -1 stands for none.
export function nextOption(key, current, count) {
  if (!count) return -1;
  if (key === "ArrowDown") return (current + 1) % count;
  if (key === "ArrowUp") return current > 0 ? current - 1 : count - 1;
  return current;
}

// Whether an answer belongs to the text that is in the field.
export const isCurrent = (foundFor, text) => foundFor === text.trim();

// The index of the hit to take without the user having seen the list, or -1: the only one that is called what was typed,
// else the only one.
export function certainHit(titles, text) {
  const isCalled = (title) => title.trim().toLowerCase() === text.trim().toLowerCase();
  const exact = titles.filter(isCalled).length;
  if (exact) return exact === 1 ? titles.findIndex(isCalled) : -1;
  return titles.length === 1 ? 0 : -1;
}

class Palette {
  constructor(root) {
    this.root = root;
    this.input = root.querySelector("input");
    this.list = root.querySelector("[role=listbox]");
    this.said = root.querySelector("[data-said]");
    this.shown = new window.ShownOptions();
    this.pressedKey = null; // { what: "open" or "save", time of the key }, while the hits are awaited
    this.found = null; // the text that the hits on show belong to
    this.failed = null; // the text that the search did not answer
    this.chosen = -1;
    this.input.addEventListener("input", () => this.typed());
    root.addEventListener("keydown", (event) => this.pressed(event));
    root.addEventListener("close", () => this.opener?.focus());
    root.addEventListener("click", (event) => event.target === root && root.close());
  }

  open(opener) {
    if (this.root.open) return;
    this.opener = opener;
    this.found = null; // the hits of the last time are asked for anew
    this.root.showModal();
    this.input.focus();
    this.input.select(); // what was typed before Escape is still there
    this.ask();
  }

  typed() {
    clearTimeout(this.timer);
    this.pressedKey = null;
    this.failed = null;
    this.choose(isCurrent(this.found, this.input.value) ? 0 : -1);
    this.timer = setTimeout(() => this.ask(), PAUSE);
  }

  async ask() {
    clearTimeout(this.timer);
    const text = this.input.value;
    this.asked?.abort();
    const asked = (this.asked = new AbortController());
    this.root.setAttribute("aria-busy", "true");
    try {
      const csrfmiddlewaretoken = document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
      const body = new URLSearchParams({ q: text.trim(), hits: "1", csrfmiddlewaretoken });
      const answer = await fetch(this.input.dataset.url, { method: "POST", body, signal: asked.signal });
      if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
      const html = await answer.text();
      if (asked === this.asked && isCurrent(text.trim(), this.input.value)) this.show(html, text.trim());
    } catch {
      if (asked === this.asked && !asked.signal.aborted) this.fail(text.trim());
    }
  }

  show(html, text) {
    this.list.innerHTML = html;
    window.htmx?.process(this.list); // asks for names that are still to come
    this.found = text;
    this.root.removeAttribute("aria-busy");
    const count = this.options.length;
    this.said.textContent = count === 1 ? "1 hit" : `${count} hits`;
    this.choose(count ? 0 : -1);
    this.shown.hide(); // a new list, even if its hits are those of the text before
    this.shown.show(text);
    if (this.pressedKey) this.enter(this.pressedKey);
    this.pressedKey = null;
  }

  fail(text) {
    this.failed = text;
    this.found = null;
    this.root.removeAttribute("aria-busy");
    this.pressedKey = null;
    this.list.replaceChildren();
    const line = document.createElement("p");
    line.className = "wrong";
    line.textContent = "The search did not answer. Press Enter to try the page of the search.";
    this.list.append(line);
    this.said.textContent = line.textContent;
  }

  get options() {
    return [...this.list.querySelectorAll("[role=option]")];
  }

  choose(index) {
    this.chosen = index;
    this.options.forEach((option, at) => option.setAttribute("aria-selected", String(at === index)));
    const option = this.options[index];
    if (!option) {
      this.input.removeAttribute("aria-activedescendant");
      return;
    }
    this.input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  pressed(event) {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      this.shown.reach();
      this.choose(nextOption(event.key, this.chosen, this.options.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.enter({ what: event.ctrlKey || event.metaKey ? "save" : "open", time: event.timeStamp });
    }
  }

  // Opens the chosen hit, or saves it where it can be saved. If the hits of the present text are not there yet, waits
  // for them.
  enter(key) {
    if (isCurrent(this.found, this.input.value)) this.carryOut(key.what, this.optionAt(key.time));
    else if (isCurrent(this.failed, this.input.value)) this.root.querySelector("form").submit();
    else this.pressedKey = key;
  }

  // The hit that a key takes which was pressed at that time; undefined if it could not be read and none is certain.
  optionAt(time) {
    const { options } = this;
    if (this.shown.isRead(time)) return options[this.chosen];
    return options[certainHit(options.map((option) => option.querySelector(".cut").textContent), this.input.value)];
  }

  carryOut(what, option) {
    const form = what === "save" && option && this.list.querySelector(`form[data-saves="${CSS.escape(option.id)}"]`);
    if (form) form.requestSubmit();
    else option?.click();
  }
}

const palette = dialog && new Palette(dialog);

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k" && palette) {
    event.preventDefault();
    palette.open(document.activeElement);
  }
});

for (const field of document.querySelectorAll("[data-find]")) {
  field.addEventListener("click", (event) => {
    event.preventDefault();
    palette?.open(field);
  });
}
