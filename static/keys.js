// Keyboard shortcuts. Typing the keys of data-key="g c" (or of a single key, "e") clicks or focuses that element.
// Single-letter keys do nothing while the focus is in a field, and can be switched off (WCAG 2.1.4).

const STORAGE_KEY = "single-keys-off";
const SEQUENCE_TIMEOUT = 1200; // ms between the two keys of a sequence
const dialog = document.querySelector("#keys");
const box = document.querySelector("#single-keys");
let pending = "";
let timer;

// --- What a key stands for ---------------------------------------------------------------------------

// Compares the keys typed so far with the shortcuts of the page ("e", "g c"):
// "exact", "prefix" if more keys must follow, or "none".
export function matchShortcut(keys, shortcuts) {
  if (shortcuts.includes(keys)) return "exact";
  return shortcuts.some((shortcut) => shortcut.startsWith(`${keys} `)) ? "prefix" : "none";
}

// The index of the row below (j, arrow down) or above (k, arrow up) the current one, wrapping around; current is -1 if no
// row has the focus.
export function nextRow(key, current, count) {
  if (key === "j" || key === "ArrowDown") return (current + 1) % count;
  return current > 0 ? current - 1 : count - 1;
}

// The shortcuts of the page in the groups of the dialog, as [title, [[keys, label], ...]], without the empty ones.
export function groupShortcuts(fixed, shortcutsOfPage) {
  const listed = fixed.flatMap(([, shortcuts]) => shortcuts.map(([keys]) => keys));
  const firstOf = (keys) => shortcutsOfPage.findIndex(([other]) => other === keys);
  const page = shortcutsOfPage.filter(([keys], at) => !listed.includes(keys) && at === firstOf(keys));
  const starting = (first) => page.filter(([keys]) => keys.startsWith(`${first} `));
  const others = page.filter(([keys]) => !/^[gc] /.test(keys));
  const groups = [...fixed, ["On this page", others], ["Go to", starting("g")], ["Create", starting("c")]];
  return groups.filter(([, shortcuts]) => shortcuts.length);
}

// Ctrl+S and Ctrl+Enter save the form, Ctrl+Shift+Enter saves it and opens an empty one: "save", "save-new" or null.
export function saveCommand({ key, shiftKey }) {
  if (key === "Enter") return shiftKey ? "save-new" : "save";
  return key.toLowerCase() === "s" ? "save" : null;
}

// --- Key presses -------------------------------------------------------------------------------------

function singleKeysOff() {
  try {
    return localStorage.getItem(STORAGE_KEY) === "1";
  } catch {
    return false; // the browser may forbid storage
  }
}

const isField = (target) =>
  target instanceof Element && target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");

const isSingleKey = (event) => !event.altKey && event.key.length === 1;

const elementsWithKey = () =>
  [...document.querySelectorAll("[data-key]")].filter((element) => !element.closest("dialog:not([open])"));

// What stands in a closed panel opens it. The key of a panel itself goes on to its first field.
function activate(element) {
  const panel = element.closest("details[data-panel]");
  if (panel) panel.open = true;
  const field = element.matches("summary") ? panel.querySelector("select, input") : element;
  if (field.matches("input, select, textarea")) field.focus();
  else field.click();
}

function clearPending() {
  pending = "";
  clearTimeout(timer);
}

// Performs what the keys stand for, or waits for the next key of a sequence. Returns false if they mean nothing here.
function perform(key) {
  const keys = pending ? `${pending} ${key}` : key;
  clearPending();
  if (keys === "?") showKeys();
  else if (keys === "/") document.querySelector("[data-find]")?.click();
  else if (!performOnRows(keys)) return performShortcut(keys);
  return true;
}

function performShortcut(keys) {
  const elements = elementsWithKey();
  const match = matchShortcut(keys, elements.map((element) => element.dataset.key));
  if (match === "exact") activate(elements.find((element) => element.dataset.key === keys));
  if (match === "prefix") {
    pending = keys;
    timer = setTimeout(clearPending, SEQUENCE_TIMEOUT);
  }
  return match !== "none";
}

const rowLinks = () => [...document.querySelectorAll(":is([data-results], [data-rows]) tbody th a")];

// The arrows move between rows as j and k do, where they would scroll otherwise: on a row, or with the focus nowhere.
function moveByArrow(event) {
  const rows = rowLinks();
  const current = rows.indexOf(document.activeElement);
  if (!rows.length || (current < 0 && !document.activeElement.matches("body, main"))) return;
  event.preventDefault();
  rows[nextRow(event.key, current, rows.length)].focus();
}

// In a list, j and k move the focus between rows, and e edits the focused row. A row may have keys of its own, in
// data-row-key. Returns true if the key did something.
function performOnRows(key) {
  const rows = rowLinks();
  const current = rows.indexOf(document.activeElement);
  const own = current >= 0 && rows[current].closest("tr").querySelector(`[data-row-key="${CSS.escape(key)}"]`);
  if (own) own.click();
  else if (key === "e" && current >= 0) location.assign(`${rows[current].pathname}edit/`);
  else if (rows.length && (key === "j" || key === "k")) rows[nextRow(key, current, rows.length)].focus();
  else return false;
  return true;
}

function saveForm(event) {
  const command = saveCommand(event);
  if (!command) return;
  const form = event.target.closest?.("form[data-save-form]") ?? document.querySelector("form[data-save-form]");
  if (!form) return;
  event.preventDefault();
  const saveNew = command === "save-new" && form.querySelector("[data-save-new]");
  form.requestSubmit(saveNew || form.querySelector("[type=submit]"));
}

const isPlainArrow = ({ key, altKey, shiftKey }) => (key === "ArrowDown" || key === "ArrowUp") && !altKey && !shiftKey;

const isShortcut = (event) => isSingleKey(event) && !singleKeysOff() && !isField(event.target);

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  if (event.ctrlKey || event.metaKey) saveForm(event);
  else if (document.querySelector("dialog[open]")) return;
  else if (isPlainArrow(event)) moveByArrow(event);
  else if (isShortcut(event) && perform(event.key)) event.preventDefault();
});

// --- The dialog that lists the keys ------------------------------------------------------------------

function describe(keys, label) {
  const row = document.createElement("div");
  const term = document.createElement("dt");
  const description = document.createElement("dd");
  term.textContent = label;
  for (const key of keys.split(" ")) {
    const cap = document.createElement("kbd");
    cap.textContent = key;
    description.append(cap);
  }
  row.append(term, description);
  return row;
}

const labelOf = (element) => element.dataset.keyLabel || element.title || element.textContent.trim();

function describeGroup([title, shortcuts]) {
  const section = document.createElement("section");
  const heading = document.createElement("h3");
  const list = document.createElement("dl");
  heading.textContent = title;
  list.append(...shortcuts.map(([keys, label]) => describe(keys, label)));
  section.append(heading, list);
  return section;
}

function showKeys() {
  const place = dialog.querySelector("[data-keys]");
  const groups = JSON.parse(place.dataset.keys || "[]").filter(([, selector]) => document.querySelector(selector));
  const fixed = groups.map(([title, , shortcuts]) => [title, shortcuts]);
  const page = elementsWithKey().map((element) => [element.dataset.key, labelOf(element)]);
  place.replaceChildren(...groupShortcuts(fixed, page).map(describeGroup));
  box.checked = !singleKeysOff();
  dialog.showModal();
}

box?.addEventListener("change", () => {
  try {
    localStorage.setItem(STORAGE_KEY, box.checked ? "0" : "1");
  } catch {
    // without storage the choice lasts for this page only
  }
});

document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-open=keys]")) {
    document.querySelector("#account")?.hidePopover?.();
    showKeys();
  }
});

// --- Panels that open from a button close on Escape and on a click elsewhere --------------------------------

function closePanels(except) {
  for (const panel of document.querySelectorAll("details[data-panel][open]")) if (panel !== except) panel.open = false;
}

document.addEventListener("click", (event) => closePanels(event.target.closest?.("details[data-panel]")));
document.addEventListener("keydown", (event) => {
  const panel = event.key === "Escape" && event.target.closest?.("details[data-panel][open]");
  if (!panel) return;
  closePanels();
  panel.querySelector("summary").focus();
});

// Escape would empty a search field; it only closes what is open.
document.addEventListener("keydown", (event) => {
  const inLayer = event.target.closest?.("dialog, [popover]");
  if (event.key === "Escape" && !inLayer && event.target.matches?.("[type=search]")) event.preventDefault();
});
