// The combobox for a reference to another record. The server sends the matches while the user types.
//
// A match is accepted only if it was found for what the field contains now. Before the matches are there, Tab moves the
// focus at once and Enter is remembered. When they come, the certain match is accepted, as nobody has seen the others.
// Without a certain match the text stays: Tab leaves a note beside the field that nothing is chosen, Enter leaves the list
// open for another Enter.

import { Listbox } from "listbox";
import { Lookup } from "lookup";
import { make } from "page";

const PAUSE = 250; // ms after the last key press before a search
const HTMX_HEADER = { "HX-Request": "true" }; // asks for a fragment instead of a page
const NOT_LOADED = "Couldn't load the matches. We'll look up the name when you save.";

export async function fetchFragment(url, options = {}) {
  const response = await fetch(url, { ...options, headers: { ...options.headers, ...HTMX_HEADER } });
  if (response.status === 401) document.dispatchEvent(new CustomEvent("sign-in-required"));
  return response;
}

async function loadMatches(url, signal) {
  const response = await fetchFragment(url, { signal });
  if (!response.ok) throw new Error(response.status);
  return response.text();
}

class RecordPicker extends HTMLElement {
  connectedCallback() {
    if (this.input) return; // the element was moved within the page
    this.input = this.querySelector("[type=text]");
    this.idInput = this.querySelector("[data-chosen]");
    this.chosenTitle = this.querySelector("[data-was]");
    if (!this.input || this.input.disabled) return;
    this.makeParts();
    this.lookup = new Lookup({
      load: loadMatches,
      onAnswer: (query, html) => this.handleAnswer(query, html),
      onFailure: () => this.handleFailure(NOT_LOADED),
    });
    this.input.addEventListener("input", () => this.handleInput());
    this.input.addEventListener("keydown", (event) => this.handleKey(event));
    this.input.addEventListener("click", () => this.isOpen || this.chosenId || this.showMatches());
    this.input.addEventListener("blur", () => this.handleBlur());
    this.input.addEventListener("focus", () => this.isUndecided && this.showMatches());
    if (this.input !== document.activeElement) return;
    if (this.input.value !== this.input.defaultValue) this.handleInput(); // typed before this module was loaded
    else if (this.isUndecided) this.showMatches();
  }

  makeParts() {
    const properties = { className: "picker-list", id: `${this.input.id}_list`, ariaLabel: `Matching ${this.dataset.noun}s`, hidden: true };
    this.listbox = new Listbox(properties, {
      isMatch: ({ dataset }) => dataset.id,
      isCalled: ({ dataset }) => dataset.exact !== undefined, // the server's rule for a text without a choice
      take: (option) => this.accept(option),
      dismiss: () => this.dismiss(),
    });
    this.status = make("div", { role: "status" });
    this.say("");
    this.input.parentElement.append(this.listbox.element, this.status);
    this.listbox.attachTo(this.input);
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
    return this.listbox.isOpen && this.isCurrent;
  }

  get chosenId() {
    return this.idInput.value;
  }

  // True for a text that came with the page, for which no match was chosen.
  get isUndecided() {
    const { value, defaultValue } = this.input;
    return value.trim() && value === defaultValue && !this.chosenId;
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
    this.listbox.close();
    this.say("");
    this.isUnsettled = Boolean(this.input.value.trim());
    if (this.isUnsettled) this.ask(PAUSE);
  }

  clearChoice() {
    if (!this.chosenId && !this.chosenTitle.value) return;
    this.idInput.value = this.chosenTitle.value = "";
    this.dispatchChange();
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
    const { element } = this.listbox;
    element.replaceChildren(...content.querySelectorAll(acceptable));
    this.listbox.options.forEach((option, index) => void (option.id = `${element.id}_${index}`));
    this.listedQuery = query;
    this.note = note.textContent;
    const { enterIsWaiting } = this;
    this.stopAsking();
    if (document.activeElement !== this.input) this.settle();
    else if (!enterIsWaiting || !this.accept(this.listbox.certain)) this.open();
  }

  handleFailure(message) {
    this.stopAsking();
    this.listbox.close();
    this.listedQuery = undefined;
    this.say(message, { isVisible: true });
  }

  // After the user has left the field: chooses the certain match, or says that nothing is chosen.
  settle() {
    if (!this.isUnsettled) return;
    if (!this.isCurrent) this.ask();
    else if (!this.accept(this.listbox.certain)) this.sayNotChosen();
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
    const [first] = this.listbox.options;
    this.say(this.note, { isVisible: !first });
    if (first) this.listbox.open(this.listedQuery, this.input.value.trim() ? first : undefined); // Enter in an empty field chooses nothing
    else this.listbox.close();
  }

  // Tells the user a message beside the field, or screen readers only.
  say(message, { isVisible = false } = {}) {
    this.status.textContent = message;
    this.status.className = isVisible ? "picker-note" : "unseen";
  }

  // --- Choosing ---

  handleKey(event) {
    if (event.isComposing || (this.isOpen && this.listbox.handleKey(event))) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      this.showMatches();
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) this.handleEnter(event);
    else if (event.key === "Escape" && this.lookup.isPending) {
      event.preventDefault();
      event.stopPropagation(); // a dialog around the picker stays open
      this.dismiss();
    }
  }

  // A second Enter does not wait for the matches: it goes on, or submits the form, whose text the server looks up.
  handleEnter(event) {
    const mayWait = this.isUnsettled && this.lookup.isPending && !this.enterIsWaiting;
    if (event.repeat) {
      event.preventDefault(); // a key held down is pressed once
    } else if (mayWait) {
      event.preventDefault(); // does not submit the form before the matches are there
      this.enterIsWaiting = true;
      this.ask();
    } else this.listbox.close();
  }

  handleBlur() {
    if (document.activeElement === this.input) return; // the user has left the window, not the field
    this.listbox.close();
    this.settle();
  }

  dismiss() {
    this.stopAsking();
    this.listbox.close();
    if (this.isUnsettled) this.sayNotChosen();
    this.isUnsettled = false;
  }

  // Chooses a match, or opens the fields of a new record if the option offers that. Returns false without an option.
  accept(option) {
    if (!option) return false;
    this.listbox.close();
    this.isUnsettled = false;
    if (option.dataset.id) this.choose(option.dataset.id, option.dataset.title);
    else this.openNew(option.dataset.create);
    return true;
  }

  choose(id, title) {
    this.stopAsking();
    this.isUnsettled = false;
    this.idInput.value = id;
    this.chosenTitle.value = title;
    this.input.value = title;
    this.say(`${title} is chosen.`);
    this.dispatchChange();
  }

  dispatchChange() {
    this.idInput.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // The fields of a new record, whose script is loaded when they are first needed.
  loadQuickForm() {
    this.quickForm ??= import("quick_form").then(({ QuickForm }) => new QuickForm(this));
    return this.quickForm;
  }

  async openNew(text) {
    try {
      (await this.loadQuickForm()).open(text);
    } catch {
      this.say("Couldn't load this. Reload the page and try again.", { isVisible: true });
    }
  }
}

customElements.define("record-picker", RecordPicker);
