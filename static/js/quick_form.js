// The fields of a new record below a picker, so that the record is created without leaving the form at hand. The server
// renders them (templates/records/picker_new.html).

import { csrfToken, make } from "page";
import { fetchFragment } from "picker";

// The [name, value] pairs that a browser would submit for these fields.
export function submittedPairs(fields) {
  const isOff = ({ type, checked }) => (type === "radio" || type === "checkbox") && !checked;
  return [...fields].filter((field) => !isOff(field)).map(({ name, value }) => [name, value]);
}

export class QuickForm {
  // The picker is the element that the box belongs to.
  constructor(picker) {
    this.picker = picker;
    picker.addEventListener("click", (event) => this.handleClick(event));
    picker.addEventListener("keydown", (event) => this.handleKey(event));
  }

  get box() {
    return this.picker.querySelector("[data-new]");
  }

  url(params) {
    const { newUrl, name } = this.picker.dataset;
    const url = new URL(newUrl, location.href);
    url.searchParams.set("prefix", `${name}-new`);
    for (const [key, value] of Object.entries(params)) url.searchParams.set(key, value);
    return url;
  }

  async open(text) {
    const { within } = this.picker;
    const url = this.url({ name: text, ...(within && { within }) });
    await this.load(url, { failure: "Couldn't load this. Try again." });
    if (!this.picker.hasLeft) this.box?.querySelector("input:not([type=hidden])")?.focus();
  }

  async create() {
    if (this.isCreating) return; // a second press of the button
    this.isCreating = true;
    const body = new URLSearchParams(submittedPairs(this.box.querySelectorAll("input, select, textarea")));
    const failure = "We don't know if this was created. Check before you try again.";
    await this.load(this.url({}), { method: "POST", body, headers: { "X-CSRFToken": csrfToken() }, failure });
    this.isCreating = false;
  }

  // Shows the fields as the server renders them, or chooses the record that it has created. An answer that comes after
  // the text of the picker has changed opens nothing and chooses nothing.
  async load(url, { failure, ...options }) {
    const { query } = this.picker;
    let html;
    try {
      const response = await fetchFragment(url, options);
      if (!response.ok && response.status !== 422) throw new Error(response.status);
      html = await response.text();
    } catch {
      this.showError(failure);
      return;
    }
    const created = new DOMParser().parseFromString(html, "text/html").querySelector("[data-id]");
    const isCurrent = query === this.picker.query;
    if (created) this.handleCreated(created.dataset, isCurrent);
    else if (this.box || isCurrent) this.show(html);
  }

  handleCreated({ id, title }, isCurrent) {
    if (this.box && isCurrent) this.picker.choose(id, title);
    else this.picker.say(`${title} was created, but is not chosen here.`, { isVisible: true });
    this.close();
  }

  show(html) {
    const box = this.box ?? this.addBox();
    box.innerHTML = html;
    this.addCancelButton(box);
    if (!this.picker.hasLeft) box.querySelector("[aria-invalid=true]")?.focus();
  }

  addBox() {
    const box = make("div", { className: "picker-new" });
    box.dataset.new = "";
    this.picker.append(box);
    return box;
  }

  showError(message) {
    const box = this.box ?? this.addBox();
    const line = make("p", { className: "wrong", role: "alert", textContent: message });
    box.querySelector("p[role=alert]")?.remove();
    box.prepend(line);
  }

  addCancelButton(box) {
    const cancel = make("button", { type: "button", className: "button small quiet", textContent: "Cancel" });
    cancel.dataset.cancelNew = "";
    box.querySelector(".buttons")?.append(cancel);
  }

  close() {
    const { hasLeft } = this.picker;
    this.box?.remove();
    if (!hasLeft) this.picker.input.focus();
  }

  handleClick(event) {
    if (event.target.closest?.("[data-make]")) {
      event.preventDefault();
      this.create();
    }
    if (event.target.closest?.("[data-cancel-new]")) this.close();
  }

  handleKey(event) {
    if (!event.target.closest?.("[data-new]")) return;
    const isCreate = event.key === "Enter" && event.target.matches("input");
    if (!isCreate && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (isCreate) this.create();
    else this.close();
  }
}
