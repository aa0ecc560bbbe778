// The combobox for a reference to another record. The server sends the matches while the user types.
// Without this module the same markup is a text field with a Find button (templates/forms/picker.html).
//
// A match is accepted only if it was found for what the field contains now. Before the matches are there, Tab moves the
// focus at once and Enter is remembered. When they come, the certain match is accepted, as nobody has seen the others.
// The same holds until they have been shown for a while (shown_options.js). Without a certain match the text stays: Tab
// leaves a note beside the field that nothing is chosen, Enter leaves the list open for another Enter.

const PAUSE = 250; // ms after the last key press before a search
const TIMEOUT = 15_000; // ms for an answer; longer than the server waits for the API
const HTMX_HEADER = { "HX-Request": "true" }; // asks for a fragment instead of a page
const NOT_LOADED = "The matches could not be loaded. The name is looked up when you save.";

// The match to accept without the user having seen it, or null: the one that is called what was typed (data-exact, the
// server's rule for a text without a choice), else the only one. Options are elements of the list: matches carry
// data-id, and a last one that offers to create a record carries data-create.
export function certainMatch(options) {
  const matches = options.filter((option) => option.dataset.id);
  return matches.find((match) => match.dataset.exact !== undefined) ?? (matches.length === 1 ? matches[0] : null);
}

// The index that an arrow key moves to, wrapping around. Current is -1 if no option is highlighted.
export function nextIndex(key, current, count) {
  return key === "ArrowDown" ? (current + 1) % count : (Math.max(current, 0) - 1 + count) % count;
}

async function fetchFragment(url, options = {}) {
  const response = await fetch(url, { ...options, headers: { ...options.headers, ...HTMX_HEADER } });
  if (response.status === 401) document.dispatchEvent(new CustomEvent("sign-in-required"));
  return response;
}

async function loadMatches(url, signal) {
  const response = await fetchFragment(url, { signal });
  if (!response.ok) throw new Error(response.status);
  return response.text();
}

// One search at a time: only the answer to the last query is reported, however late or out of order answers come.
export class Lookup {
  // load(query, signal) returns a promise of the answer. Each query that is not given up ends in one call of
  // onAnswer(query, answer) or onFailure().
  constructor({ load, onAnswer, onFailure, timeout = TIMEOUT }) {
    Object.assign(this, { load, onAnswer, onFailure, timeout });
  }

  // True from ask() until the answer or the failure.
  get isPending() {
    return this.query !== undefined;
  }

  // Sends the query after `delay` ms unless it is under way already. Gives up the query before it.
  ask(query, delay = 0) {
    if (this.request && query === this.query) return;
    this.cancel();
    this.query = query;
    this.timer = setTimeout(() => this.send(query), delay);
  }

  cancel() {
    clearTimeout(this.timer);
    this.request?.abort();
    this.request = undefined;
    this.query = undefined;
  }

  async send(query) {
    const request = new AbortController();
    this.request = request;
    this.timer = setTimeout(() => this.finish(request, () => this.onFailure()), this.timeout);
    const report = await this.load(query, request.signal).then(
      (answer) => () => this.onAnswer(query, answer),
      () => () => this.onFailure(),
    );
    this.finish(request, report);
  }

  // Reports the outcome of a request unless it was given up, or reported as timed out.
  finish(request, report) {
    if (request !== this.request) return;
    this.cancel();
    report();
  }
}

class RecordPicker extends HTMLElement {
  connectedCallback() {
    if (this.input) return; // the element was moved within the page
    this.input = this.querySelector("[type=text]");
    this.chosenTitle = this.querySelector("[data-was]");
    if (!this.input || this.input.disabled) return;
    // Removed, not hidden: Enter presses the first submit button of a form.
    this.querySelector(".picker-find").remove();
    for (const button of this.querySelectorAll("[name=new]")) button.type = "button";
    this.makeParts();
    this.shown = new window.ShownOptions();
    if (this.dataset.newUrl) {
      this.quickForm = import(this.dataset.newScript).then(({ QuickForm }) => new QuickForm(this, fetchFragment));
    }
    this.lookup = new Lookup({
      load: loadMatches,
      onAnswer: (query, html) => this.handleAnswer(query, html),
      onFailure: () => this.handleFailure(NOT_LOADED),
    });
    this.input.addEventListener("input", () => this.handleInput());
    this.input.addEventListener("keydown", (event) => this.handleKey(event));
    this.input.addEventListener("click", () => this.isOpen || this.chosenId || this.showMatches());
    this.input.addEventListener("blur", () => this.handleBlur());
    this.addEventListener("click", (event) => this.handleClick(event));
  }

  makeParts() {
    this.list = document.createElement("div");
    Object.assign(this.list, { className: "picker-list", id: `${this.input.id}_list`, hidden: true });
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", `Matching ${this.dataset.noun}s`);
    this.status = document.createElement("div");
    this.status.setAttribute("role", "status");
    this.say("");
    this.input.parentElement.append(this.list, this.status);
    const states = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.list.id };
    for (const [name, value] of Object.entries(states)) this.input.setAttribute(name, value);
    this.list.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the focus in the field
  }

  // The address of the matches for what the field contains now.
  get query() {
    const url = new URL(this.dataset.url, location.href);
    url.searchParams.set("q", this.input.value.trim());
    if (this.within) url.searchParams.set("within", this.within);
    return url.href;
  }

  // True if the options of the list are the matches for what the field contains now.
  get isCurrent() {
    return this.listedQuery === this.query;
  }

  get isOpen() {
    return !this.list.hidden && this.isCurrent;
  }

  get chosenId() {
    return this.querySelector("[data-chosen], .picker-found :checked")?.value;
  }

  get options() {
    return [...this.list.querySelectorAll("[role=option]")];
  }

  get highlighted() {
    return this.list.querySelector("[aria-selected=true]");
  }

  // The value of the field that narrows the matches, such as the customer of a deal.
  get within() {
    return this.closest("form")?.elements[this.dataset.within]?.value;
  }

  // True if the user has gone on to another part of the page.
  get hasLeft() {
    return document.activeElement !== document.body && !this.contains(document.activeElement);
  }

  // --- Searching ---

  // isUnsettled: the user has typed a text, and has neither chosen a match for it nor dismissed the matches.
  handleInput() {
    this.clearChoice();
    this.stopAsking();
    this.close();
    this.say("");
    this.isUnsettled = Boolean(this.input.value.trim());
    if (this.isUnsettled) this.ask(PAUSE);
  }

  clearChoice() {
    const idInput = this.findIdInput();
    if (!idInput.value && !this.chosenTitle.value) return;
    idInput.value = this.chosenTitle.value = "";
    this.dispatchChange();
  }

  // The hidden input with the id. It replaces the radio buttons that the Find button has brought.
  findIdInput() {
    let input = this.querySelector("[data-chosen]");
    if (!input) {
      this.querySelector(".picker-found")?.remove();
      input = document.createElement("input");
      Object.assign(input, { type: "hidden", name: this.dataset.name });
      input.dataset.chosen = "";
      this.prepend(input);
    }
    return input;
  }

  ask(delay) {
    this.input.setAttribute("aria-busy", "true");
    this.lookup.ask(this.query, delay);
  }

  stopAsking() {
    this.input.removeAttribute("aria-busy");
    this.enterIsWaiting = false;
    this.lookup.cancel();
  }

  handleAnswer(query, html) {
    if (query !== this.query) {
      this.ask(); // the field that narrows the matches has changed
      return;
    }
    const content = new DOMParser().parseFromString(html, "text/html");
    const note = content.querySelector("[data-note]");
    if (note.dataset.note === "failed") {
      this.handleFailure(note.textContent);
      return;
    }
    const acceptable = this.dataset.newUrl ? "[role=option]" : "[data-id]"; // a filter offers no new record
    this.list.replaceChildren(...content.querySelectorAll(acceptable));
    this.options.forEach((option, index) => option.setAttribute("id", `${this.list.id}_${index}`));
    this.listedQuery = query;
    this.note = note.textContent;
    const { enterIsWaiting } = this;
    this.stopAsking();
    if (document.activeElement !== this.input) this.settle();
    else if (!enterIsWaiting || !this.accept(certainMatch(this.options))) this.open();
  }

  handleFailure(message) {
    this.stopAsking();
    this.close();
    this.listedQuery = undefined;
    this.say(message, { isVisible: true });
  }

  // After the user has left the field: chooses the certain match, or says that nothing is chosen.
  settle() {
    if (!this.isUnsettled) return;
    if (!this.isCurrent) this.ask();
    else if (!this.accept(certainMatch(this.options))) this.sayNotChosen();
  }

  sayNotChosen() {
    this.say(`Not chosen. ${this.isCurrent ? this.note : ""}`, { isVisible: true });
  }

  // Opens the list for a user who asks for it by a click or an arrow key.
  showMatches() {
    this.isUnsettled = Boolean(this.input.value.trim()) && !this.chosenId;
    this.enterIsWaiting = false;
    if (this.isCurrent) this.open();
    else this.ask();
  }

  open() {
    const isOpen = this.options.length > 0;
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
    this.say(this.note, { isVisible: !isOpen });
    this.highlight(this.input.value.trim() ? this.options[0] : undefined); // Enter in an empty field chooses nothing
    if (isOpen) this.shown.show(this.listedQuery);
  }

  // Tells the user a message beside the field, or screen readers only.
  say(message, { isVisible = false } = {}) {
    this.status.textContent = message;
    this.status.className = isVisible ? "picker-note" : "unseen";
  }

  highlight(option) {
    for (const each of this.options) each.setAttribute("aria-selected", String(each === option));
    if (option) this.input.setAttribute("aria-activedescendant", option.id);
    else this.input.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  close() {
    this.shown.hide();
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  // --- Choosing ---

  handleKey(event) {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") this.moveHighlight(event);
    else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) this.handleEnter(event);
    else if (event.key === "Escape" && (this.isOpen || this.lookup.isPending)) {
      event.preventDefault();
      event.stopPropagation(); // a dialog around the picker stays open
      this.dismiss();
    } else if (event.key === "Tab" && this.isOpen) this.acceptOnTab(this.optionFor(event));
  }

  moveHighlight(event) {
    event.preventDefault();
    if (!this.isOpen) {
      this.showMatches();
      return;
    }
    const { options } = this;
    this.shown.reach();
    this.highlight(options[nextIndex(event.key, options.indexOf(this.highlighted), options.length)]);
  }

  // The option that a key takes from the open list, or null: the highlighted one if it can have been read.
  optionFor(event) {
    return this.highlighted && (this.shown.isRead(event.timeStamp) ? this.highlighted : certainMatch(this.options));
  }

  // A second Enter does not wait for the matches: it goes on, or submits the form, whose text the server looks up.
  handleEnter(event) {
    const mayWait = this.isUnsettled && this.lookup.isPending && !this.enterIsWaiting;
    if (event.repeat) {
      event.preventDefault(); // a key held down is pressed once
    } else if (this.isOpen && this.highlighted) {
      event.preventDefault(); // without an option the list stays open, and the form is not submitted
      this.accept(this.optionFor(event));
    } else if (mayWait) {
      event.preventDefault(); // does not submit the form before the matches are there
      this.enterIsWaiting = true;
      this.ask();
    } else this.close();
  }

  // A new record needs Enter or a click; with its offer highlighted, leaving chooses nothing.
  acceptOnTab(option) {
    if (option?.dataset.create === undefined) this.accept(option);
    else this.dismiss();
  }

  handleBlur() {
    if (document.activeElement === this.input) return; // the user has left the window, not the field
    this.close();
    this.settle();
  }

  dismiss() {
    this.stopAsking();
    this.close();
    if (this.isUnsettled) this.sayNotChosen();
    this.isUnsettled = false;
  }

  // Chooses a match, or opens the fields of a new record if the option offers that. Returns false without an option.
  accept(option) {
    if (!option) return false;
    this.close();
    this.isUnsettled = false;
    if (option.dataset.id) this.choose(option.dataset.id, option.dataset.title);
    else this.openNew(option.dataset.create);
    return true;
  }

  choose(id, title) {
    this.stopAsking();
    this.isUnsettled = false;
    this.findIdInput().value = id;
    this.chosenTitle.value = title;
    this.input.value = title;
    this.say(`${title} is chosen.`);
    this.dispatchChange();
  }

  dispatchChange() {
    this.querySelector("[data-chosen]").dispatchEvent(new Event("change", { bubbles: true }));
  }

  handleClick(event) {
    const option = event.target.closest?.("[role=option]");
    if (option && this.isOpen) this.accept(option);
    if (event.target.closest?.("[name=new]")) this.openNew(this.input.value.trim());
  }

  async openNew(text) {
    (await this.quickForm).open(text);
  }
}

customElements.define("record-picker", RecordPicker);
