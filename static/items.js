// The item list under a line's first cell: the options of the page's datalist, filtered as one
// types; Enter and Tab take the first. Without it the browser offers the same datalist.

const MOST = 8;

export class ItemList {
  constructor(form) {
    this.list = document.createElement("div");
    Object.assign(this.list, { className: "item-list", id: "item-list", hidden: true });
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "Items");
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => this.take(event.target.closest("[role=option]")));
    form?.addEventListener("focusin", (event) => event.target.matches?.("[list=stock]") && this.adopt(event.target));
    form?.addEventListener("input", (event) => event.target === this.input && this.typed());
    form?.addEventListener("focusout", (event) => event.target === this.input && this.close());
    this.onTake = () => {};
    // The page may have put the cursor there before this module came.
    if (form?.contains(document.activeElement) && document.activeElement.matches("[list=stock]")) this.adopt(document.activeElement);
  }

  // The browser's own list would stand on top of ours.
  adopt(input) {
    this.input = input;
    input.removeAttribute("list");
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-expanded", "false");
    this.reset(input);
  }

  reset(input) {
    input.toggleAttribute("data-items", true);
    input.parentElement.append(this.list);
    input.setAttribute("aria-controls", this.list.id);
  }

  typed() {
    const words = this.input.value.trim().toLowerCase();
    const number = this.input.closest("tr").querySelector('[data-cell="item_id"]');
    number.value = ""; // another item, or none of the list
    if (!words) return this.close();
    const all = [...document.querySelectorAll("#stock option")];
    const starts = all.filter((option) => option.value.toLowerCase().startsWith(words) || option.dataset.id === words);
    const holds = all.filter((option) => !starts.includes(option) && option.value.toLowerCase().includes(words));
    this.show([...starts, ...holds].slice(0, MOST));
    return undefined;
  }

  show(options) {
    this.list.replaceChildren(
      ...options.map((option, index) => {
        const item = document.createElement("div");
        item.id = `item-list-${index}`;
        item.setAttribute("role", "option");
        item.from = option;
        const hint = document.createElement("span");
        hint.className = "muted";
        hint.textContent = option.textContent;
        item.append(option.value, hint);
        return item;
      }),
    );
    this.list.hidden = !options.length;
    this.input.setAttribute("aria-expanded", String(Boolean(options.length)));
    this.mark(this.list.firstElementChild);
  }

  mark(item) {
    for (const other of this.list.children) other.setAttribute("aria-selected", String(other === item));
    if (item) this.input.setAttribute("aria-activedescendant", item.id);
    else this.input.removeAttribute("aria-activedescendant");
    item?.scrollIntoView({ block: "nearest" });
  }

  close() {
    this.list.hidden = true;
    this.list.replaceChildren();
    this.input?.setAttribute("aria-expanded", "false");
    this.input?.removeAttribute("aria-activedescendant");
  }

  // True if the key was for the list.
  key(event) {
    if (event.target !== this.input || this.list.hidden) return false;
    const marked = this.list.querySelector("[aria-selected=true]");
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const next = event.key === "ArrowDown" ? marked.nextElementSibling : marked.previousElementSibling;
      this.mark(next ?? (event.key === "ArrowDown" ? this.list.firstElementChild : this.list.lastElementChild));
    } else if (event.key === "Enter" || event.key === "Tab") {
      this.take(marked);
    } else if (event.key === "Escape") {
      this.close();
    } else {
      return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  take(item) {
    if (!item) return;
    const row = this.input.closest("tr");
    const { id, price, tax, rate } = item.from.dataset;
    const values = { item_name: item.from.value, item_id: id, price, tax_id: tax, tax_rate: rate };
    for (const [name, value] of Object.entries(values)) {
      const part = row.querySelector(`[data-cell="${name}"]`);
      if (part && (value || name === "item_id")) part.value = value;
    }
    this.close();
    this.onTake(row);
  }
}
