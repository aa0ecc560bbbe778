// Keyboard shortcuts. Typing the keys of data-key="g c" (or of a single key, "e") clicks or focuses that element.
// Single-letter keys do nothing in a field, and can be switched off (WCAG 2.1.4).

import { rowLinks } from "list_return";
import { csrfToken, find, make, SITE } from "page";

const STORAGE_KEY = "single-keys-off";
const SEQUENCE_TIMEOUT = 1200; // ms between the two keys of a sequence
const DIALOG_URL = `${SITE}help/keys/`;
let pending = "";
let timer;

// --- What a key stands for ---

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

// --- Key presses ---

export function singleKeysOff() {
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

// A field for keys until their field is there. Tab goes to the next field there, Escape stays here.
export function holdKeys() {
  const before = document.activeElement;
  const held = make("textarea", { className: "unseen", ariaLabel: "Opening. Keep typing." });
  held.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Tab") held.setRangeText("\t", held.selectionStart, held.selectionEnd, "end");
    if (event.key === "Tab" || event.key === "Enter") event.preventDefault();
    if (event.key !== "Escape") return;
    held.remove();
    before.focus();
  });
  (find("dialog[open]") ?? document.body).append(held);
  held.focus();
  return held;
}

// The field that a key of a panel leads to: the key of the panel itself to the first one.
export const fieldOf = (element) => (element.matches("summary") ? find("select, textarea, input:not([type=hidden])", element.parentElement) : element);

// What stands in a closed panel opens it.
function activate(element) {
  const panel = element.closest("details[data-panel]");
  if (panel) panel.open = true;
  if (panel && find("[data-src]", panel)) {
    const held = holdKeys();
    import("panels").then(({ openByKey }) => openByKey(panel, `[data-key=${element.dataset.key}]`, held), () => held.remove());
    return;
  }
  const field = fieldOf(element);
  if (field.matches("input, select, textarea")) field.focus();
  else field.click();
  if (field.type === "search") field.select(); // what is typed replaces the last search
}

function clearPending() {
  pending = "";
  clearTimeout(timer);
}

// Performs what the keys stand for, or waits for the next key of a sequence. Returns false if they mean nothing here.
export function perform(key) {
  const keys = pending ? `${pending} ${key}` : key;
  clearPending();
  if (keys === "?") showKeys();
  else if (keys === "/") find("[data-find]")?.click();
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

// The arrows move between rows as j and k do, where they would scroll otherwise: on a row, or with the focus nowhere.
function moveByArrow(event) {
  const rows = rowLinks();
  const current = rows.indexOf(document.activeElement);
  if (!rows.length || (current < 0 && !document.activeElement.matches("body, main"))) return;
  event.preventDefault();
  rows[nextRow(event.key, current, rows.length)].focus();
}

// Asks for the deletion of a row's record. The page opens again, with its toast and the focus on the row in its place.
function deleteRow(link) {
  const values = { now: "1", back: location.pathname + location.search, csrfmiddlewaretoken: csrfToken() };
  const fields = Object.entries(values).map(([name, value]) => make("input", { name, value }));
  const form = make("form", { method: "post", action: `${link.pathname}delete/`, hidden: true }, ...fields);
  link.parentElement.append(form);
  form.requestSubmit();
}

// In a list j and k move the focus, e edits the focused row, # deletes it unless rows are chosen; a row's own keys are in
// data-row-key. Returns true if the key did something.
function performOnRows(key) {
  const rows = rowLinks();
  const current = rows.indexOf(document.activeElement);
  const own = current >= 0 && rows[current].closest("tr").querySelector(`[data-row-key="${CSS.escape(key)}"]`);
  if (own) own.click();
  else if (key === "e" && current >= 0) location.assign(`${rows[current].pathname}edit/`);
  else if (key === "#" && rows[current]?.closest("[data-deletes]") && !find("[data-results] [name=chosen]:checked")) deleteRow(rows[current]);
  else if (rows.length && (key === "j" || key === "k")) rows[nextRow(key, current, rows.length)].focus();
  else return false;
  return true;
}

// Ctrl+Z undoes the last act where z does; in a field it undoes what was typed.
function performCommand(event) {
  if (event.key !== "z" || isField(event.target)) saveForm(event);
  else if (performShortcut("z")) event.preventDefault();
}

function saveForm(event) {
  const command = saveCommand(event);
  if (!command) return;
  const form = event.target.closest?.("form[data-save-form]") ?? find("form[data-save-form]");
  if (!form) return;
  event.preventDefault();
  const saveNew = command === "save-new" && form.querySelector("[data-save-new]");
  form.requestSubmit(saveNew || form.querySelector(".savebar [type=submit]") || form.querySelector("[type=submit]"));
}

// Escape leaves the field that a key leads to.
function leaveField({ key, target }) {
  if (key === "Escape" && target.matches("[data-key]")) target.blur();
}

const isPlainArrow = ({ key, altKey, shiftKey }) => (key === "ArrowDown" || key === "ArrowUp") && !altKey && !shiftKey;

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  if (event.ctrlKey || event.metaKey) performCommand(event);
  else if (isField(event.target)) leaveField(event); // asked first: what is typed waits for nothing else
  else if (find("dialog[open]")) return;
  else if (isPlainArrow(event)) moveByArrow(event);
  else if (isSingleKey(event) && !singleKeysOff() && perform(event.key)) event.preventDefault();
});

// --- The dialog that lists the keys ---

function describe(keys, label) {
  const parts = keys.split(" ").map((key) => make("kbd", { textContent: key }));
  return make("div", {}, make("dt", { textContent: label }), make("dd", {}, ...parts));
}

const labelOf = (element) => element.dataset.keyLabel || element.ariaLabel || element.title || element.textContent.trim();

function describeGroup([title, shortcuts]) {
  const rows = shortcuts.map(([keys, label]) => describe(keys, label));
  return make("section", {}, make("h3", { textContent: title }), make("dl", {}, ...rows));
}

const findDialog = () => find("#keys");
let loading; // the request for the dialog

// It comes with the first press. showFailure tells of a request that failed.
async function loadDialog() {
  loading ??= window.htmx.ajax("GET", DIALOG_URL, { target: "body", swap: "beforeend" }).catch(() => {});
  await loading;
  loading = undefined;
}

async function showKeys() {
  if (!findDialog()) await loadDialog();
  const dialog = findDialog();
  if (!dialog || dialog.open) return;
  const place = dialog.querySelector("[data-groups]");
  document.documentElement.dataset.keys = "";
  const groups = JSON.parse(place.dataset.groups || "[]").filter(([, selector]) => find(selector));
  const fixed = groups.map(([title, , shortcuts]) => [title, shortcuts]);
  const page = elementsWithKey().map((element) => [element.dataset.key, labelOf(element)]);
  place.replaceChildren(...groupShortcuts(fixed, page).map(describeGroup));
  dialog.querySelector("#single-keys").checked = !singleKeysOff();
  dialog.showModal();
}

document.addEventListener("change", ({ target }) => {
  if (target.id !== "single-keys") return;
  try {
    localStorage.setItem(STORAGE_KEY, target.checked ? "0" : "1");
  } catch {
    // without storage the choice lasts for this page only
  }
});

document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-open=keys]")) {
    find("#account")?.hidePopover?.();
    showKeys();
  }
});
