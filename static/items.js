// The suggestion list of a line's item field: the options of the page's datalist, filtered as the user types.
// Enter and Tab take the marked option. Without this module the browser suggests from the same datalist.

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

class ItemList {
  constructor(form) {
    this.list = document.createElement("div");
    Object.assign(this.list, { className: "item-list", id: "item-list", hidden: true });
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "Items");
    this.list.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the focus in the field
    this.list.addEventListener("click", (event) => this.take(event.target.closest("[role=option]")));
    form.addEventListener("focusin", (event) => this.attachTo(event.target));
    form.addEventListener("input", (event) => event.target === this.input && this.search());
    form.addEventListener("focusout", (event) => event.target === this.input && this.close());
    this.onTake = () => {};
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
    if (this.input.value.trim()) this.show(options);
    else this.close();
  }

  show(options) {
    this.list.replaceChildren(...options.map((option, index) => this.makeOption(option, index)));
    this.list.hidden = !options.length;
    this.input.setAttribute("aria-expanded", String(options.length > 0));
    this.mark(this.list.firstElementChild);
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
    this.list.hidden = true;
    this.list.replaceChildren();
    this.input?.setAttribute("aria-expanded", "false");
    this.input?.removeAttribute("aria-activedescendant");
  }

  // Handles a key press in the field. Returns true if the list used the key.
  handleKey(event) {
    if (event.target !== this.input || this.list.hidden) return false;
    const marked = this.list.querySelector("[aria-selected=true]");
    if (event.key === "ArrowDown") this.mark(marked.nextElementSibling ?? this.list.firstElementChild);
    else if (event.key === "ArrowUp") this.mark(marked.previousElementSibling ?? this.list.lastElementChild);
    else if (event.key === "Enter" || event.key === "Tab") this.take(marked);
    else if (event.key === "Escape") this.close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  // Fills the line from the option: name, id, price and tax. Keeps what the option has no value for.
  take(option) {
    if (!option) return;
    const row = this.input.closest("tr");
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
