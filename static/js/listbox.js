// A field with a list of options: that of the palette, of a picker, and of the items of a line.
//
// A key takes the highlighted option if it can have been read: an arrow key has reached it, or the list has stood
// unchanged for as long as reading takes. Otherwise it takes the certain option, if there is one.

import { make } from "page";

export const READING_TIME = 400; // ms

// Calls back with the time of the first frame after the next painting.
const afterPainting = (callback) => requestAnimationFrame(() => requestAnimationFrame(callback));

export class ShownOptions {
  constructor(whenPainted = afterPainting) {
    this.whenPainted = whenPainted;
    this.hide();
  }

  // To be called when the list is drawn. names: its options in order, as one text. A list that is drawn again with the same
  // options has been on the screen all the time.
  show(names) {
    this.isReached = false;
    if (names === this.names) return;
    this.hide();
    this.names = names;
    const drawing = (this.drawing = {});
    this.whenPainted((time) => {
      if (drawing === this.drawing) this.shownAt = time;
    });
  }

  hide() {
    Object.assign(this, { names: null, drawing: null, shownAt: Infinity, isReached: false });
  }

  // To be called when an arrow key has moved the highlight.
  reach() {
    this.isReached = true;
  }

  // Whether the user can have read the highlighted option before a key was pressed. time: event.timeStamp of the key.
  isRead(time) {
    return this.isReached || time - this.shownAt >= READING_TIME;
  }
}

// The option to take without the user having seen the list: the only one that is called what was typed, else the only one.
export function certainOption(options, isCalled) {
  const called = options.filter(isCalled);
  const candidates = called.length ? called : options;
  return candidates.length === 1 ? candidates[0] : undefined;
}

// The index that an arrow key leads to, wrapping around; current is -1 if no option is highlighted.
export function nextIndex(key, current, count) {
  return key === "ArrowDown" ? (current + 1) % count : (Math.max(current, 0) - 1 + count) % count;
}

export class Listbox {
  // properties: of the element, which the caller puts on the page. isMatch(option): false for an offer, which needs Enter or a
  // click. isCalled(option, text): whether a match is called what was typed, in lower case. take(option, event), dismiss():
  // what a key or a click does.
  constructor(properties, { isMatch, isCalled, take = () => {}, dismiss }) {
    Object.assign(this, { isMatch, isCalled, take, dismiss, shown: new ShownOptions() });
    this.element = make("div", { role: "listbox", ...properties });
    this.element.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the focus in the field
    this.element.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.take(option, event);
    });
  }

  attachTo(input) {
    this.input = input;
    Object.assign(input, { role: "combobox", ariaAutoComplete: "list", ariaExpanded: String(this.isOpen) });
    input.setAttribute("aria-controls", this.element.id);
  }

  get isOpen() {
    return !this.element.hidden;
  }

  get options() {
    return [...this.element.querySelectorAll("[role=option]")];
  }

  get highlighted() {
    return this.element.querySelector("[aria-selected=true]");
  }

  // names: the options in order, as one text.
  open(names, highlighted) {
    this.element.hidden = false;
    this.input.ariaExpanded = "true";
    this.highlight(highlighted);
    this.shown.show(names);
  }

  close() {
    this.shown.hide();
    this.element.hidden = true;
    if (this.input) this.input.ariaExpanded = "false";
    this.input?.removeAttribute("aria-activedescendant");
  }

  highlight(option) {
    for (const each of this.options) each.ariaSelected = String(each === option);
    if (option) this.input.setAttribute("aria-activedescendant", option.id);
    else this.input.removeAttribute("aria-activedescendant");
    option?.dispatchEvent(new Event("look")); // htmx asks for its preview
    requestAnimationFrame(() => option?.scrollIntoView({ block: "nearest" })); // when the layout is computed anyway
  }

  get certain() {
    const text = this.input.value.trim().toLowerCase();
    return certainOption(this.options.filter(this.isMatch), (option) => this.isCalled(option, text));
  }

  // The option that a key takes which was pressed at this time.
  optionAt(time) {
    return this.highlighted && (this.shown.isRead(time) ? this.highlighted : this.certain);
  }

  // Handles a key while the list is open. Returns true if the list has used it.
  handleKey(event) {
    const option = this.optionAt(event.timeStamp);
    if (event.key === "Tab") return this.handleTab(event, option);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") this.move(event.key);
    else if (event.key === "Escape") this.dismiss();
    else if (event.key !== "Enter" || event.ctrlKey || event.metaKey || !this.highlighted) return false;
    else if (option && !event.repeat) this.take(option, event); // without an option the list stays open
    event.preventDefault();
    event.stopPropagation(); // a dialog around it stays open
    return true;
  }

  // Tab goes on to the next field, unless taking an option leads elsewhere.
  handleTab(event, option) {
    if (option && this.isMatch(option)) this.take(option, event);
    else this.dismiss();
    return event.defaultPrevented;
  }

  move(key) {
    const { options } = this;
    this.shown.reach();
    this.highlight(options[nextIndex(key, options.indexOf(this.highlighted), options.length)]);
  }
}
