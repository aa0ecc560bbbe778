// The combobox for a reference to another record: matches come from the server as people type.
// Without this module the same markup is a text and a Find button (templates/forms/picker.html).

const PAUSE = 250;

class RecordPicker extends HTMLElement {
  connectedCallback() {
    if (this.input) return; // moved within the page
    this.input = this.querySelector("[type=text]");
    this.was = this.querySelector("[data-was]");
    if (!this.input || this.input.disabled) return;
    // Gone, not hidden: the first submit button of the form is the one that Enter presses.
    this.querySelector(".picker-find").remove();
    for (const button of this.querySelectorAll("[name=new], [data-make]")) button.type = "button";
    this.makeParts();
    this.input.addEventListener("input", () => this.typed());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("click", () => this.open || this.chosenNow || this.search());
    this.input.addEventListener("blur", () => this.left());
    this.addEventListener("click", (event) => this.clicked(event));
    this.addEventListener("keydown", (event) => this.keyInNew(event));
  }

  makeParts() {
    this.list = document.createElement("div");
    Object.assign(this.list, { className: "picker-list", id: `${this.input.id}_list`, hidden: true });
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", `Matching ${this.dataset.noun}s`);
    this.status = document.createElement("div");
    this.status.className = "visually-hidden";
    this.status.setAttribute("role", "status");
    this.input.parentElement.append(this.list, this.status);
    const states = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.list.id };
    for (const [name, value] of Object.entries(states)) this.input.setAttribute(name, value);
    // A press on an option must not take the focus from the text.
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
  }

  get open() {
    return !this.list.hidden;
  }

  get chosenNow() {
    return this.querySelector("[data-chosen]")?.value;
  }

  get options() {
    return [...this.list.querySelectorAll("[role=option]")];
  }

  get current() {
    return this.list.querySelector("[aria-selected=true]");
  }

  // --- Typing and searching ---

  typed() {
    this.clear();
    clearTimeout(this.timer);
    this.asked?.abort();
    this.pending = Boolean(this.input.value.trim());
    if (!this.pending) return this.close();
    this.timer = setTimeout(() => this.search(), PAUSE);
  }

  // What was chosen no longer stands for the text.
  clear() {
    const chosen = this.chosen();
    if (!chosen.value && !this.was.value) return;
    chosen.value = "";
    this.was.value = "";
    this.changed();
  }

  // The hidden input with the id; it takes the place of the radio buttons of a Find.
  chosen() {
    let chosen = this.querySelector("[data-chosen]");
    if (!chosen) {
      this.querySelector(".picker-found")?.remove();
      chosen = document.createElement("input");
      Object.assign(chosen, { type: "hidden", name: this.dataset.name });
      chosen.dataset.chosen = "";
      this.prepend(chosen);
    }
    return chosen;
  }

  async search() {
    clearTimeout(this.timer);
    this.asked?.abort();
    const asked = (this.asked = new AbortController());
    const url = new URL(this.dataset.url, location.href);
    url.searchParams.set("q", this.input.value.trim());
    const within = this.closest("form")?.elements[this.dataset.within]?.value;
    if (within) url.searchParams.set("within", within);
    this.input.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(url, { signal: asked.signal, headers: { "HX-Request": "true" } });
      if (answer.status === 401) document.dispatchEvent(new CustomEvent("sign-in-required"));
      if (!answer.ok) throw new Error(answer.status);
      this.show(await answer.text());
    } catch (error) {
      if (error.name === "AbortError") return;
      this.close();
      this.say("The matches could not be loaded. You can go on: the name is looked up when you save.");
    }
    if (asked === this.asked) this.arrived();
  }

  arrived() {
    this.input.removeAttribute("aria-busy");
    this.pending = false;
    const only = this.options.length === 1 || (this.options.length === 2 && this.options[1].matches("[data-create]"));
    if (this.hasLeft || this.acceptNext) {
      if (only && this.options[0]?.dataset.id) this.accept(this.options[0]);
      else if (this.hasLeft) this.close();
    }
    this.acceptNext = false;
  }

  show(html) {
    const box = document.createElement("template");
    box.innerHTML = html;
    const note = box.content.querySelector("[data-note]");
    this.list.replaceChildren(...box.content.querySelectorAll("[role=option]"));
    this.options.forEach((option, index) => (option.id = `${this.list.id}_${index}`));
    this.say(note?.textContent ?? "");
    const open = this.options.length > 0 && document.activeElement === this.input;
    this.list.hidden = !open;
    this.input.setAttribute("aria-expanded", String(open));
    if (open) this.highlight(this.options[0]);
  }

  say(words) {
    this.status.textContent = words;
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

  key(event) {
    const open = !this.list.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") this.move(event, open);
    else if (event.key === "Escape" && open) {
      event.preventDefault();
      event.stopPropagation(); // the innermost layer alone closes
      this.close();
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) this.enter(event, open);
    else if (event.key === "Tab" && open && this.input.value) this.accept(this.current, { stay: false });
  }

  move(event, open) {
    event.preventDefault();
    if (!open) return void this.search();
    const step = event.key === "ArrowDown" ? 1 : -1;
    const { options } = this;
    this.highlight(options[(options.indexOf(this.current) + step + options.length) % options.length]);
  }

  enter(event, open) {
    if (open) {
      event.preventDefault();
      this.accept(this.current);
    } else if (this.pending) {
      event.preventDefault(); // nobody means to save the form between two letters
      this.acceptNext = true;
      this.search();
    }
  }

  left() {
    this.hasLeft = true;
    this.close();
    this.input.addEventListener("focus", () => (this.hasLeft = false), { once: true });
  }

  accept(option, { stay = true } = {}) {
    if (!option) return;
    this.close();
    if (option.dataset.id) this.choose(option.dataset.id, option.dataset.title);
    else if (stay) this.openNew(option.dataset.create); // Tab goes on; only Enter and a press create
  }

  choose(id, title) {
    this.pending = false;
    clearTimeout(this.timer);
    this.chosen().value = id;
    this.was.value = title;
    this.input.value = title;
    this.say(`${title} is chosen.`);
    this.changed();
  }

  changed() {
    this.querySelector("[data-chosen]").dispatchEvent(new Event("change", { bubbles: true }));
  }

  clicked(event) {
    const option = event.target.closest?.("[role=option]");
    if (option) this.accept(option);
    if (event.target.closest?.("[name=new]")) this.openNew(this.input.value.trim());
    if (event.target.closest?.("[data-make]")) {
      event.preventDefault();
      this.make();
    }
    if (event.target.closest?.("[data-cancel-new]")) this.closeNew();
  }

  // --- A new record in place ---

  newUrl(params) {
    const url = new URL(this.dataset.newUrl, location.href);
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
    return url;
  }

  async openNew(text) {
    const params = { prefix: `${this.dataset.name}-new`, name: text };
    const within = this.closest("form")?.elements[this.dataset.within]?.value;
    if (within) params.within = within;
    await this.fill(this.newUrl(params), {});
    this.querySelector("[data-new] input:not([type=hidden])")?.focus();
  }

  async make() {
    if (this.making) return; // pressed twice
    this.making = true;
    const body = new URLSearchParams();
    const fields = this.querySelectorAll("[data-new] input, [data-new] select, [data-new] textarea");
    for (const field of fields) if (!field.matches("[type=radio], [type=checkbox]") || field.checked) body.append(field.name, field.value);
    const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
    const url = this.newUrl({ prefix: `${this.dataset.name}-new` });
    await this.fill(url, { method: "POST", body, headers: { "X-CSRFToken": token } });
    this.making = false;
  }

  async fill(url, options) {
    let box = this.querySelector("[data-new]");
    if (!box) {
      box = document.createElement("div");
      box.className = "picker-new";
      box.dataset.new = "";
      this.append(box);
    }
    try {
      const answer = await fetch(url, { ...options, headers: { ...options.headers, "HX-Request": "true" } });
      if (answer.status === 401) document.dispatchEvent(new CustomEvent("sign-in-required"));
      if (!answer.ok && answer.status !== 422) throw new Error(answer.status);
      box.innerHTML = await answer.text();
      for (const button of box.querySelectorAll("[data-make]")) button.type = "button";
    } catch {
      const words = options.method ? "It is not certain that this was created. Look it up before you try again." : "This could not be loaded. Try again.";
      this.note(box, words);
      return;
    }
    const made = box.querySelector("[data-id]");
    if (made) {
      this.choose(made.dataset.id, made.dataset.title);
      this.closeNew();
    } else {
      this.addCancel(box);
      box.querySelector("[aria-invalid=true]")?.focus();
    }
  }

  note(box, words) {
    const line = document.createElement("p");
    line.className = "field-error";
    line.setAttribute("role", "alert");
    line.textContent = words;
    box.querySelector("p[role=alert]")?.remove();
    box.prepend(line);
  }

  addCancel(box) {
    const cancel = document.createElement("button");
    Object.assign(cancel, { type: "button", className: "btn btn-sm btn-quiet", textContent: "Cancel" });
    cancel.dataset.cancelNew = "";
    box.querySelector(".form-actions")?.append(cancel);
  }

  closeNew() {
    this.querySelector("[data-new]")?.remove();
    this.input.focus();
  }

  keyInNew(event) {
    if (!event.target.closest?.("[data-new]")) return;
    if (event.key === "Enter" && event.target.matches("input")) {
      event.preventDefault();
      event.stopPropagation();
      this.make();
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.closeNew();
    }
  }
}

customElements.define("record-picker", RecordPicker);
