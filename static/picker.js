// The combobox for a reference to another record. The server sends the matches while the user types.
// Without this module the same markup is a text field with a Find button (templates/forms/picker.html).

const PAUSE = 250; // ms after the last key press before a search
const HTMX_HEADER = { "HX-Request": "true" }; // asks for a fragment instead of a page

// The one match to accept when the user has gone on without choosing, or null. Options are elements of the list:
// matches carry data-id, and a last one that offers to create a record carries data-create.
export function onlyMatch(options) {
  const [first, second] = options;
  const isOnly = options.length === 1 || (options.length === 2 && second.dataset.create !== undefined);
  return isOnly && first.dataset.id ? first : null;
}

// The index that an arrow key moves to, wrapping around. Current is -1 if no option is highlighted.
export function nextIndex(key, current, count) {
  return (current + (key === "ArrowDown" ? 1 : -1) + count) % count;
}

// The [name, value] pairs that a browser would submit for these fields.
export function submittedPairs(fields) {
  const isOff = ({ type, checked }) => (type === "radio" || type === "checkbox") && !checked;
  return [...fields].filter((field) => !isOff(field)).map(({ name, value }) => [name, value]);
}

async function fetchFragment(url, options = {}) {
  const response = await fetch(url, { ...options, headers: { ...options.headers, ...HTMX_HEADER } });
  if (response.status === 401) document.dispatchEvent(new CustomEvent("sign-in-required"));
  return response;
}

class RecordPicker extends HTMLElement {
  connectedCallback() {
    if (this.input) return; // the element was moved within the page
    this.input = this.querySelector("[type=text]");
    this.chosenTitle = this.querySelector("[data-was]");
    if (!this.input || this.input.disabled) return;
    // Removed, not hidden: Enter presses the first submit button of a form.
    this.querySelector(".picker-find").remove();
    for (const button of this.querySelectorAll("[name=new], [data-make]")) button.type = "button";
    this.makeParts();
    this.input.addEventListener("input", () => this.handleInput());
    this.input.addEventListener("keydown", (event) => this.handleKey(event));
    this.input.addEventListener("click", () => this.isOpen || this.chosenId || this.search());
    this.input.addEventListener("blur", () => this.handleBlur());
    this.addEventListener("click", (event) => this.handleClick(event));
    this.addEventListener("keydown", (event) => this.handleKeyInNew(event));
  }

  makeParts() {
    this.list = document.createElement("div");
    Object.assign(this.list, { className: "picker-list", id: `${this.input.id}_list`, hidden: true });
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", `Matching ${this.dataset.noun}s`);
    this.status = document.createElement("div");
    this.status.className = "unseen";
    this.status.setAttribute("role", "status");
    this.input.parentElement.append(this.list, this.status);
    const states = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.list.id };
    for (const [name, value] of Object.entries(states)) this.input.setAttribute(name, value);
    this.list.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the focus in the field
  }

  get isOpen() {
    return !this.list.hidden;
  }

  get chosenId() {
    return this.querySelector("[data-chosen]")?.value;
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

  // --- Typing and searching ---

  handleInput() {
    this.clearChoice();
    clearTimeout(this.timer);
    this.request?.abort();
    this.isSearchDue = Boolean(this.input.value.trim());
    if (this.isSearchDue) this.timer = setTimeout(() => this.search(), PAUSE);
    else this.close();
  }

  clearChoice() {
    const idInput = this.findIdInput();
    if (!idInput.value && !this.chosenTitle.value) return;
    idInput.value = "";
    this.chosenTitle.value = "";
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

  async search() {
    clearTimeout(this.timer);
    this.request?.abort();
    const request = new AbortController();
    this.request = request;
    this.input.setAttribute("aria-busy", "true");
    try {
      const response = await fetchFragment(this.searchUrl(), { signal: request.signal });
      if (!response.ok) throw new Error(response.status);
      this.show(await response.text());
    } catch (error) {
      if (error.name === "AbortError") return;
      this.close();
      this.announce("The matches could not be loaded. You can go on: the name is looked up when you save.");
    }
    if (request === this.request) this.finishSearch();
  }

  searchUrl() {
    const url = new URL(this.dataset.url, location.href);
    url.searchParams.set("q", this.input.value.trim());
    if (this.within) url.searchParams.set("within", this.within);
    return url;
  }

  finishSearch() {
    this.input.removeAttribute("aria-busy");
    this.isSearchDue = false;
    if (this.hasLeft || this.acceptsNext) {
      const match = onlyMatch(this.options);
      if (match) this.accept(match);
      else if (this.hasLeft) this.close();
    }
    this.acceptsNext = false;
  }

  show(html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    const note = template.content.querySelector("[data-note]");
    this.list.replaceChildren(...template.content.querySelectorAll("[role=option]"));
    this.options.forEach((option, index) => option.setAttribute("id", `${this.list.id}_${index}`));
    this.announce(note?.textContent ?? "");
    const isOpen = this.options.length > 0 && document.activeElement === this.input;
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) this.highlight(this.options[0]);
  }

  announce(message) {
    this.status.textContent = message;
  }

  highlight(option) {
    for (const each of this.options) each.setAttribute("aria-selected", String(each === option));
    this.input.setAttribute("aria-activedescendant", option?.id ?? "");
    option?.scrollIntoView({ block: "nearest" });
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  // --- Choosing ---

  handleKey(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") this.moveHighlight(event);
    else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) this.handleEnter(event);
    else if (event.key === "Escape" && this.isOpen) {
      event.preventDefault();
      event.stopPropagation(); // a dialog around the picker stays open
      this.close();
    } else if (event.key === "Tab" && this.isOpen && this.input.value) this.accept(this.highlighted, { mayCreate: false });
  }

  moveHighlight(event) {
    event.preventDefault();
    if (!this.isOpen) {
      this.search();
      return;
    }
    const { options } = this;
    this.highlight(options[nextIndex(event.key, options.indexOf(this.highlighted), options.length)]);
  }

  handleEnter(event) {
    if (this.isOpen) {
      event.preventDefault();
      this.accept(this.highlighted);
    } else if (this.isSearchDue) {
      event.preventDefault(); // does not submit the form before the matches are there
      this.acceptsNext = true;
      this.search();
    }
  }

  handleBlur() {
    this.hasLeft = true;
    this.close();
    const handleFocus = () => {
      this.hasLeft = false;
    };
    this.input.addEventListener("focus", handleFocus, { once: true });
  }

  // Chooses a match, or opens the fields of a new record if the option offers that and mayCreate is true.
  accept(option, { mayCreate = true } = {}) {
    if (!option) return;
    this.close();
    if (option.dataset.id) this.choose(option.dataset.id, option.dataset.title);
    else if (mayCreate) this.openNew(option.dataset.create);
  }

  choose(id, title) {
    this.isSearchDue = false;
    clearTimeout(this.timer);
    this.findIdInput().value = id;
    this.chosenTitle.value = title;
    this.input.value = title;
    this.announce(`${title} is chosen.`);
    this.dispatchChange();
  }

  dispatchChange() {
    this.querySelector("[data-chosen]").dispatchEvent(new Event("change", { bubbles: true }));
  }

  handleClick(event) {
    const option = event.target.closest?.("[role=option]");
    if (option) this.accept(option);
    if (event.target.closest?.("[name=new]")) this.openNew(this.input.value.trim());
    if (event.target.closest?.("[data-make]")) {
      event.preventDefault();
      this.create();
    }
    if (event.target.closest?.("[data-cancel-new]")) this.closeNew();
  }

  // --- Creating a record in place ---

  newUrl(params) {
    const url = new URL(this.dataset.newUrl, location.href);
    url.searchParams.set("prefix", `${this.dataset.name}-new`);
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
    return url;
  }

  async openNew(text) {
    const params = { name: text, ...(this.within && { within: this.within }) };
    await this.loadNew(this.newUrl(params), { failure: "This could not be loaded. Try again." });
    this.querySelector("[data-new] input:not([type=hidden])")?.focus();
  }

  async create() {
    if (this.isCreating) return; // a second press of the button
    this.isCreating = true;
    const body = new URLSearchParams(submittedPairs(this.querySelectorAll("[data-new] :is(input, select, textarea)")));
    const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
    const failure = "It is not certain that this was created. Look it up before you try again.";
    await this.loadNew(this.newUrl({}), { method: "POST", body, headers: { "X-CSRFToken": token }, failure });
    this.isCreating = false;
  }

  // Shows the fields of a new record as the server renders them, or chooses the record that it has created.
  async loadNew(url, { failure, ...options }) {
    const box = this.querySelector("[data-new]") ?? this.addNewBox();
    try {
      const response = await fetchFragment(url, options);
      if (!response.ok && response.status !== 422) throw new Error(response.status);
      box.innerHTML = await response.text();
    } catch {
      this.showError(box, failure);
      return;
    }
    for (const button of box.querySelectorAll("[data-make]")) button.type = "button";
    const created = box.querySelector("[data-id]");
    if (created) {
      this.choose(created.dataset.id, created.dataset.title);
      this.closeNew();
    } else {
      this.addCancelButton(box);
      box.querySelector("[aria-invalid=true]")?.focus();
    }
  }

  addNewBox() {
    const box = document.createElement("div");
    box.className = "picker-new";
    box.dataset.new = "";
    this.append(box);
    return box;
  }

  showError(box, message) {
    const line = document.createElement("p");
    line.className = "wrong";
    line.setAttribute("role", "alert");
    line.textContent = message;
    box.querySelector("p[role=alert]")?.remove();
    box.prepend(line);
  }

  addCancelButton(box) {
    const cancel = document.createElement("button");
    Object.assign(cancel, { type: "button", className: "button small quiet", textContent: "Cancel" });
    cancel.dataset.cancelNew = "";
    box.querySelector(".buttons")?.append(cancel);
  }

  closeNew() {
    this.querySelector("[data-new]")?.remove();
    this.input.focus();
  }

  handleKeyInNew(event) {
    if (!event.target.closest?.("[data-new]")) return;
    const isCreate = event.key === "Enter" && event.target.matches("input");
    if (!isCreate && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (isCreate) this.create();
    else this.closeNew();
  }
}

customElements.define("record-picker", RecordPicker);
