// Keys. An element with data-key="g c" (or a single key, "e") is clicked or focused when these are typed.
// Single-letter keys leave fields alone and can be switched off (WCAG 2.1.4).

const STORE = "single-keys-off";
const WAIT = 1200; // between the two keys of a sequence
const dialog = document.querySelector("#keys");
const box = document.querySelector("#single-keys");
let pending = "";
let timer;

function off() {
  try {
    return localStorage.getItem(STORE) === "1";
  } catch {
    return false; // storage may be forbidden
  }
}

const typing = (target) =>
  target instanceof Element && target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");

const keyed = () => [...document.querySelectorAll("[data-key]")].filter((element) => !element.closest("dialog:not([open])"));

function use(element) {
  if (element.matches("input, select, textarea")) element.focus();
  else element.click();
}

function forget() {
  pending = "";
  clearTimeout(timer);
}

function typed(event) {
  const keys = pending ? `${pending} ${event.key}` : event.key;
  forget();
  if (keys === "?") return showKeys();
  if (keys === "/") return document.querySelector("[data-search]")?.focus();
  if (moved(keys)) return undefined;
  const elements = keyed();
  const hit = elements.find((element) => element.dataset.key === keys);
  if (hit) return use(hit);
  if (!elements.some((element) => element.dataset.key.startsWith(`${keys} `))) return false;
  pending = keys;
  timer = setTimeout(forget, WAIT);
  return undefined;
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  if (event.ctrlKey || event.metaKey) return void saved(event);
  if (event.altKey || event.key.length !== 1 || off() || typing(event.target) || document.querySelector("dialog[open]")) return;
  if (typed(event) !== false) event.preventDefault();
});

// In a list: j and k go down and up the rows, e edits the row at hand.
function moved(key) {
  const rows = [...document.querySelectorAll("[data-results] tbody th a")];
  const at = rows.indexOf(document.activeElement);
  if (key === "e" && at >= 0) location.assign(`${rows[at].pathname}edit/`);
  else if (key === "j" || key === "k") rows.at(key === "j" ? (at + 1) % rows.length : at - (at < 0 ? 0 : 1))?.focus();
  else return false;
  return rows.length > 0;
}

// Ctrl+S and Ctrl+Enter save the form at hand; with Shift, Enter saves and starts the next one.
function saved(event) {
  if (event.key !== "Enter" && event.key.toLowerCase() !== "s") return;
  const form = event.target.closest?.("form[data-save-form]") ?? document.querySelector("form[data-save-form]");
  if (!form) return;
  event.preventDefault();
  const another = event.shiftKey && event.key === "Enter" && form.querySelector("[data-save-new]");
  form.requestSubmit(another || form.querySelector("[type=submit]"));
}

// --- The list of keys ------------------------------------------------------------------------------

const ALWAYS = [["/", "Search"], ["?", "This list"], ["Ctrl S", "Save the form"]];

function line(keys, words) {
  const row = document.createElement("div");
  const term = document.createElement("dt");
  const list = document.createElement("dd");
  term.textContent = words;
  for (const key of keys.split(" ")) {
    const cap = document.createElement("kbd");
    cap.textContent = key;
    list.append(cap);
  }
  row.append(term, list);
  return row;
}

const name = (element) => element.dataset.keyLabel || element.title || element.textContent.trim();

function showKeys() {
  const list = document.querySelector("[data-results]") ? [["j k", "Next, previous row"], ["e", "Edit the row"]] : [];
  const own = keyed().map((element) => line(element.dataset.key, name(element)));
  dialog.querySelector("[data-keys]").replaceChildren(...[...ALWAYS, ...list].map(([keys, words]) => line(keys, words)), ...own);
  box.checked = !off();
  dialog.showModal();
}

box?.addEventListener("change", () => {
  try {
    localStorage.setItem(STORE, box.checked ? "0" : "1");
  } catch {
    // nothing to remember it in
  }
});

document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-open=keys]")) {
    document.querySelector("#account")?.hidePopover?.();
    showKeys();
  }
});
