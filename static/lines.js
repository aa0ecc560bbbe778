// The line table by keyboard: Enter walks item, quantity, next line; lines are put in, moved and
// taken out in place, with undo; cells are pasted through the server. It adds nothing up: sums come
// from the server. Without this module every one of these is a submit button (records/_lines.html).

import { ItemList } from "./items.js";

const form = document.querySelector("[data-document]");
const section = () => form.querySelector("[data-lines]");
const body = () => section().querySelector("[data-line-table] tbody");
const rows = () => [...body().rows];
const cell = (row, name) => row?.querySelector(`[data-cell="${name}"]`);
const items = new ItemList(form);
const undone = []; // earlier states of the table, the latest last
const MOST_LINES = 300;
const MOST_UNDO = 20;

// --- Saying and telling ---

function say(words) {
  section().querySelector("[data-lines-said]").textContent = words;
}

function changed() {
  form.dispatchEvent(new CustomEvent("lines-changed", { bubbles: true }));
}

// --- Numbers in labels follow the order; names and ids never do ---

function renumber() {
  rows().forEach((row, index) => {
    row.querySelector(".line-no span").textContent = index + 1;
    for (const part of row.querySelectorAll("[data-word]")) {
      part.setAttribute("aria-label", `${part.dataset.word}, line ${index + 1}`);
    }
  });
}

function nextKey() {
  return Math.max(-1, ...rows().map((row) => Number(row.dataset.line))) + 1;
}

function newRow(kind) {
  const key = nextKey();
  const made = section().querySelector(`template[data-${kind}]`).content.querySelector("tr").cloneNode(true);
  made.dataset.line = key;
  for (const part of made.querySelectorAll("*")) {
    for (const { name, value } of [...part.attributes]) if (/KEY|HDR/.test(value)) part.setAttribute(name, value.replace(/KEY|HDR/g, key));
  }
  return made;
}

// --- Undo: the rows as they stood, values and all ---

function remember() {
  undone.push(rows().map((row) => ({ row, values: [...row.querySelectorAll("[name]")].map((part) => part.value) })));
  if (undone.length > MOST_UNDO) undone.shift();
  section().querySelector("[data-undo]").hidden = false;
}

function undo() {
  const before = undone.pop();
  if (!before) return;
  body().replaceChildren(...before.map(({ row }) => row));
  for (const { row, values } of before) {
    [...row.querySelectorAll("[name]")].forEach((part, index) => (part.value = values[index]));
  }
  section().querySelector("[data-undo]").hidden = !undone.length;
  settle(rows()[0], "Undone.");
}

// --- What can be done with a line ---

function settle(row, words) {
  renumber();
  changed();
  say(words);
  (cell(row, "item_name") ?? section().querySelector("button")).focus();
}

function put(kind, before, words) {
  if (rows().length >= MOST_LINES) return say(`There are ${MOST_LINES} lines, which is the most.`);
  remember();
  const made = newRow(kind);
  body().insertBefore(made, before);
  return settle(made, words);
}

const DOES = {
  insert: (row) => put("blank", row, "Line put in."),
  header: (row) => put("header", row, "Header put in."),
  below: (row) => put("blank", row.nextElementSibling, "Line put in."),
  headerBelow: (row) => put("header", row.nextElementSibling, "Header put in."),
  add: () => put("blank", null, "Line added."),
  copy(row) {
    put(row.matches(".line-header") ? "header" : "blank", row.nextElementSibling, "Line duplicated.");
    const made = row.nextElementSibling;
    const from = [...row.querySelectorAll("[name^=line-]")];
    [...made.querySelectorAll("[name^=line-]")].forEach((part, index) => {
      if (part instanceof HTMLSelectElement) part.replaceChildren(...[...from[index].options].map((one) => one.cloneNode(true)));
      part.value = from[index].value;
    });
    changed();
  },
  up(row) {
    if (!row.previousElementSibling) return;
    remember();
    row.previousElementSibling.before(row);
    settle(row, "Line moved up.");
  },
  down(row) {
    if (!row.nextElementSibling) return;
    remember();
    row.nextElementSibling.after(row);
    settle(row, "Line moved down.");
  },
  remove(row) {
    remember();
    const next = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    if (!rows().length) body().append(newRow("blank"));
    settle(next ?? rows()[0], "Line removed. Alt+Z brings it back.");
  },
};

// --- Keys ---

// Enter: item, quantity, price where there is none, next line (a new one after the last).
function goOn(input) {
  const row = input.closest("tr");
  const name = input.dataset.cell;
  if (row.matches(".line-header")) return nextLine(row);
  if (["item_name", "item_id", "description"].includes(name)) {
    if (name === "item_name" && !input.value.trim()) return section().querySelector("[value=add]").focus();
    return enter(cell(row, "quantity"));
  }
  if (name === "quantity" && !cell(row, "price").value.trim()) return enter(cell(row, "price"));
  return nextLine(row);
}

function nextLine(row) {
  if (!row.nextElementSibling && rows().length < MOST_LINES) {
    body().append(newRow("blank"));
    renumber();
  }
  enter(cell(row.nextElementSibling ?? row, "item_name"));
}

function enter(input) {
  input.focus();
  input.select?.();
}

function vertical(input, step) {
  let row = input.closest("tr");
  do row = step < 0 ? row.previousElementSibling : row.nextElementSibling;
  while (row && !cell(row, input.dataset.cell)?.offsetParent);
  if (row) enter(cell(row, input.dataset.cell));
}

const ALT = { ArrowUp: "up", ArrowDown: "down", Enter: "below", Delete: "remove", Backspace: "remove" };
const ALT_SHIFT = { ArrowDown: "copy", Enter: "headerBelow" };

function key(event) {
  const input = event.target;
  if (event.isComposing || event.ctrlKey || event.metaKey) return undefined;
  if (event.altKey) {
    if (event.key.toLowerCase() === "z" && undone.length) return does(event, undo);
    const action = (event.shiftKey ? ALT_SHIFT : ALT)[event.key];
    return action && does(event, () => DOES[action](input.closest("tr")));
  }
  if (items.handleKey(event)) return undefined;
  if (input.matches("textarea") && event.key !== "Enter") return undefined;
  if (event.key === "Enter" && !(input.matches("textarea") && event.shiftKey)) return does(event, () => goOn(input));
  if (input.matches("select")) return undefined;
  if (event.key === "ArrowUp") return does(event, () => vertical(input, -1));
  if (event.key === "ArrowDown") return does(event, () => vertical(input, 1));
  return undefined;
}

function does(event, action) {
  event.preventDefault();
  action();
}

// --- Amounts: what the server says of each line that is still there ---

function tell(event) {
  const told = event.target.id === "sums" && event.target.querySelector("[data-amounts]")?.dataset.amounts;
  if (!told) return;
  const amounts = JSON.parse(told);
  for (const row of rows()) {
    const place = row.querySelector("output");
    const amount = amounts[row.dataset.line] ?? "";
    if (place.textContent !== amount) place.textContent = amount;
  }
}

// --- Buttons: done here, or by the server for this part of the page alone ---

function press(event) {
  const button = event.target.closest("button[name=do]");
  if (!button) return;
  const [action, number] = button.value.split("-");
  const row = number && rows().find((one) => one.dataset.line === number);
  if (button.value === "last-lines") return; // needs the whole page
  event.preventDefault();
  button.closest(".line-menu details")?.removeAttribute("open");
  if (button.matches("[data-discard]")) return void (button.closest(".lines-preview").remove(), enter(cell(rows()[0], "item_name")));
  if (action === "undo" && undone.length) return undo();
  if (DOES[action] && (row || action === "add")) return DOES[action](row);
  ask(button.value);
}

function ask(action, values = {}) {
  items.close();
  undone.length = 0; // the server's own undo takes over
  const target = section();
  window.htmx.ajax("POST", target.dataset.linesUrl, { source: form, target, swap: "none", values: { do: action, ...values } });
}

// Put in its place here: htmx would compare every id with those before, seconds for 300 lines.
function replace({ detail }) {
  if (!detail.successful || detail.pathInfo.requestPath !== section().dataset.linesUrl) return;
  section().outerHTML = detail.xhr.responseText;
  section().querySelector("[autofocus]")?.focus();
  section().dispatchEvent(new Event("change", { bubbles: true })); // it is kept as a draft
  changed();
}

// --- Pasting several cells ---

function paste(event) {
  const input = event.target.closest("[data-cell]");
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!input || input.matches("textarea") || !/[\t]|[^\s]\r?\n\s*[^\s]/.test(text)) return;
  event.preventDefault();
  ask("paste-check", { pasted: text, at: input.closest("tr").dataset.line, column: input.dataset.cell });
}

// --- Choosing a tax brings its rate; a customer brings their days ---

function follow(event) {
  const input = event.target;
  if (input.dataset?.cell === "tax_id" && input.matches("select")) {
    const rate = input.selectedOptions[0]?.dataset.rate;
    if (rate !== undefined) cell(input.closest("tr"), "tax_rate").value = rate;
  }
  if (input.matches("[data-cell], [name^=overall_discount]")) changed();
}

let offered = form?.elements.due_date?.value;

async function offerDays() {
  const due = form.elements.due_date;
  if (!due || form.elements.snapshot || due.value !== offered) return;
  const query = new URLSearchParams({ customer: form.elements.customer_id?.value ?? "", date: form.elements.transaction_date.value });
  const answer = await fetch(`/invoices/due/?${query}`).catch(() => null);
  if (!answer?.ok || due.value !== offered) return;
  const { text } = await answer.json();
  if (!text || text === offered) return;
  due.value = offered = text;
  due.dispatchEvent(new Event("change", { bubbles: true }));
}

// Enter goes on from the head of the form to the first line that is still blank.
function headKey(event) {
  if (event.key !== "Enter" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (!event.target.matches("input") || !event.target.closest("[data-to-lines]")) return;
  event.preventDefault();
  enter(cell(rows().find((row) => !cell(row, "item_name").value.trim()) ?? rows()[0], "item_name"));
}

if (form) {
  for (const part of form.querySelectorAll("[data-needless]")) part.hidden = true;
  for (const part of form.querySelectorAll("[data-offered]")) part.disabled = true; // followed here
  form.addEventListener("keydown", (event) => event.target.matches("[data-cell]") && key(event));
  form.addEventListener("keydown", headKey);
  form.addEventListener("click", (event) => event.target.closest("[data-lines]") && press(event));
  form.addEventListener("paste", paste);
  form.addEventListener("htmx:afterSwap", tell);
  form.addEventListener("htmx:afterRequest", replace);
  form.addEventListener("change", follow);
  form.addEventListener("input", (event) => event.target.matches(".number[data-cell]") && changed());
  form.addEventListener("change", (event) => event.target.closest("[data-to-lines]") && offerDays());
  form.addEventListener("picker-chosen", offerDays);
  items.onTake = (row) => {
    changed();
    enter(cell(row, "quantity"));
  };
  document.addEventListener("click", (event) => {
    for (const menu of form.querySelectorAll(".line-menu details[open]")) if (!menu.contains(event.target)) menu.removeAttribute("open");
  });
  form.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && event.target.closest(".line-menu details[open]");
    if (!menu) return;
    menu.removeAttribute("open");
    menu.querySelector("summary").focus();
  });
}
