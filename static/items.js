// The suggestion list of a line's item field: the options of the page's datalist, filtered as the user types, and last
// an offer to create what was typed. Enter and Tab take the marked option if it can have been read (shown_options.js), else
// the certain one; Tab does not take that offer. Without this module the browser suggests from the same datalist.

const MAX_SHOWN = 8;

// The options for a typed text: first those that have it as their name or id, then those that start with it, then those
// that contain it.
export function matchingOptions(options, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const groups = [[], [], []];
  for (const option of options) {
    const name = option.value.toLowerCase();
    if (name === wanted || option.dataset.id === wanted) groups[0].push(option);
    else if (name.startsWith(wanted)) groups[1].push(option);
    else if (name.includes(wanted)) groups[2].push(option);
  }
  return groups.flat().slice(0, MAX_SHOWN);
}

// The option to take for a typed text without the user having seen the list, or null: the only one that has the text as
// its name or id, else the only one at all.
export function certainItem(options, text) {
  const wanted = text.trim().toLowerCase();
  const exact = options.filter(({ value, dataset }) => value.toLowerCase() === wanted || dataset.id === wanted);
  const candidates = exact.length ? exact : options;
  return candidates.length === 1 ? candidates[0] : null;
}

// A name as an element, with the typed text in it marked.
function markTyped(name, text) {
  const at = name.toLowerCase().indexOf(text.toLowerCase());
  const words = document.createElement("span");
  if (at < 0) words.append(name);
  else {
    const mark = document.createElement("mark");
    mark.textContent = name.slice(at, at + text.length);
    words.append(name.slice(0, at), mark, name.slice(at + text.length));
  }
  return words;
}

// The offer to create an item of that name. The service has no call that does it, so the line asks for the number that
// the item has there; the list learns both from the saved document.
function makeOffer(text) {
  const element = document.createElement("div");
  Object.assign(element, { id: "item-list-new", className: "picker-create", textContent: `Create “${text}”` });
  element.setAttribute("role", "option");
  const hint = document.createElement("span");
  Object.assign(hint, { className: "muted", textContent: "by its number" });
  element.append(hint);
  return element;
}

class ItemList {
  constructor(form) {
    this.list = document.createElement("div");
    Object.assign(this.list, { className: "item-list", id: "item-list", hidden: true });
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "Items");
    this.shown = new window.ShownOptions();
    this.list.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the focus in the field
    this.list.addEventListener("click", (event) => this.take(event.target.closest("[role=option]")));
    form.addEventListener("focusin", (event) => this.attachTo(event.target));
    form.addEventListener("input", (event) => event.target === this.input && this.search());
    form.addEventListener("focusout", (event) => event.target === this.input && this.close());
    this.onTake = () => {};
    this.onCreate = () => {};
    // The page may have focused an item field before this module was loaded.
    if (form.contains(document.activeElement)) this.attachTo(document.activeElement);
  }

  attachTo(input) {
    if (!input.matches?.("[list=stock], [data-items]")) return; // data-items: attached before
    this.input = input;
    input.removeAttribute("list"); // the browser's own suggestions would cover this list
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-expanded", "false");
    input.toggleAttribute("data-items", true);
    input.parentElement.append(this.list);
    input.setAttribute("aria-controls", this.list.id);
  }

  search() {
    const itemId = this.input.closest("tr").querySelector('[data-cell="item_id"]');
    itemId.value = ""; // the id belonged to the text before
    const options = matchingOptions([...document.querySelectorAll("#stock option")], this.input.value);
    const text = this.input.value.trim();
    if (text) this.show(options.map((option, index) => this.makeOption(option, index)), text);
    else this.close();
  }

  show(options, text) {
    this.list.replaceChildren(...options, makeOffer(text));
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.mark(this.list.firstElementChild);
    this.shown.show(options.map(({ source }) => source.dataset.id).join());
  }

  makeOption(source, index) {
    const element = document.createElement("div");
    element.id = `item-list-${index}`;
    element.setAttribute("role", "option");
    element.source = source;
    const hint = document.createElement("span");
    hint.className = "muted";
    hint.textContent = source.textContent;
    element.append(markTyped(source.value, this.input.value.trim()), hint);
    return element;
  }

  mark(option) {
    for (const other of this.list.children) other.setAttribute("aria-selected", String(other === option));
    if (option) this.input.setAttribute("aria-activedescendant", option.id);
    else this.input.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  close() {
    this.shown.hide();
    this.list.hidden = true;
    this.list.replaceChildren();
    this.input?.setAttribute("aria-expanded", "false");
    this.input?.removeAttribute("aria-activedescendant");
  }

  get marked() {
    return this.list.querySelector("[aria-selected=true]");
  }

  // The option that a key takes, or null: the marked one if it can have been read.
  optionFor(event) {
    if (this.shown.isRead(event.timeStamp)) return this.marked;
    const options = [...this.list.children].filter(({ source }) => source);
    const certain = certainItem(options.map(({ source }) => source), this.input.value);
    return options.find(({ source }) => source === certain) ?? null;
  }

  moveMark(key) {
    const { firstElementChild: first, lastElementChild: last } = this.list;
    this.shown.reach();
    this.mark(key === "ArrowDown" ? (this.marked.nextElementSibling ?? first) : (this.marked.previousElementSibling ?? last));
  }

  // Handles a key press in the field. Returns true if the list used the key.
  handleKey(event) {
    if (event.target !== this.input || this.list.hidden) return false;
    const option = this.optionFor(event);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") this.moveMark(event.key);
    else if (event.key === "Tab" && !option?.source) {
      this.close(); // leaves the field with the text as it is
      return false;
    } else if (event.key === "Enter" || event.key === "Tab") this.take(option);
    else if (event.key === "Escape") this.close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  // Fills the line from the option: name, id, price and tax. Keeps what the option has no value for.
  take(option) {
    if (!option) return;
    const row = this.input.closest("tbody");
    if (!option.source) {
      this.close();
      this.onCreate(row);
      return;
    }
    const { id, price, tax, rate } = option.source.dataset;
    const cell = (name) => row.querySelector(`[data-cell="${name}"]`);
    const isChoice = cell("tax_id").matches("select"); // of taxes with their rates
    const values = { item_name: option.source.value, item_id: id, price, tax_id: tax && (isChoice ? `${tax}|${rate}` : tax), tax_rate: rate };
    for (const [name, value] of Object.entries(values)) {
      if (value || name === "item_id") cell(name).value = value;
    }
    this.close();
    this.onTake(row);
  }
}

const form = document.querySelector("[data-document]");
if (form) form.itemList = new ItemList(form); // for lines.js
