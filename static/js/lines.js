// The form of an invoice or an estimate. The server checks what is pasted and computes all sums.

import {
  ACTIONS, discardPaste, forgetChanges, forgetCorrections, handleUndo, keepPaste, noteTyping, showUndo, undo,
} from "lines/changes";
import { watchHead } from "lines/head";
import { beginItems, closeItems, takeNumber, takeRate } from "lines/items";
import { handleKey } from "lines/keys";
import {
  announceInLines, cell, cellName, form, growBelow, leaveOut, openAt, prepareFields, rowOf, rows, section, textsOf, useForm,
} from "lines/rows";
import { askForSumsSoon, giveSumsUp } from "lines/sums";
import { announce } from "live_regions";
import { find, onPage } from "page";

// True if pasted text has several cells: a tab, or a line break between two texts.
export function isTable(text) {
  return /\t|\S\r?\n\s*\S/.test(text);
}

// The text of a discount with what the server understands of it: "10 off" for 10, "10 %" for 10%.
// (dashboard/documents/lines.py).
export function saidDiscount(text) {
  const bare = text.trim();
  return /\d$/.test(bare) ? `${bare} off` : bare.replace(/\s*(%|off)$/, " $1").trim();
}

// --- Buttons: performed here, but for those of a paste, for which the server sends the table again ---

function handleClick(event) {
  const button = event.target.closest("[data-lines] button[name=do]");
  if (!button || button.value === "last-lines") return; // last-lines reloads the whole page
  event.preventDefault();
  button.closest(".line-menu details")?.removeAttribute("open");
  performButton(button.value);
}

// A button's value is an action, with the key of its line after a hyphen ("up-3").
function performButton(value) {
  const [action, lineKey] = value.split("-");
  const row = lineKey && rows().find((one) => one.dataset.line === lineKey);
  if (action === "undo") undo();
  else if (action === "discard") discardPaste();
  else if (ACTIONS[action] && (row || action === "add")) ACTIONS[action](row);
  else askServer(value);
}

let sentLines; // the texts of all lines as the server got them
let sentAction;

const currentLines = () => JSON.stringify(rows().map(textsOf));

function askServer(action, values = {}) {
  closeItems();
  sentLines = currentLines();
  sentAction = action;
  const target = section();
  window.htmx.ajax("POST", target.dataset.linesUrl, { source: form, target, swap: "none", values: { do: action, ...values } });
}

// Replaces the table here because htmx compares every new id with every old one, which takes seconds for 300 lines.
// An answer that would overwrite what was typed since the request is dropped.
function replaceTable({ detail }) {
  if (!detail.successful || detail.pathInfo.requestPath !== section().dataset.linesUrl) return;
  if (currentLines() !== sentLines) {
    announceInLines("The lines have changed. Try again.");
    return;
  }
  const replace = () => void (section().outerHTML = detail.xhr.responseText);
  if (sentAction === "paste-check") keepPaste(replace);
  else replace();
  if (sentAction === "paste-use") forgetCorrections();
  prepareFields(section());
  showUndo();
  (section().querySelector("[autofocus]") ?? cell(rows()[0], "item_name")).focus();
  announce(pastedWords());
  section().dispatchEvent(new Event("change", { bubbles: true })); // stores a draft
  askForSumsSoon();
}

// What the page says about pasted lines, for a screen reader: a region that comes with its words is not read.
const pastedWords = () => section().querySelector("[data-pasted] p, [data-lines-said]").textContent;

function handlePaste(event) {
  const input = event.target;
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!cellName(input) || input.matches("textarea") || !isTable(text)) return;
  event.preventDefault();
  askServer("paste-check", { pasted: text, at: rowOf(input).dataset.line, column: cellName(input) });
}

function handleChange({ target }) {
  if (cellName(target) === "discount") target.value = saidDiscount(target.value);
  if (cellName(target) === "item_id") takeNumber(rowOf(target), target.value.trim());
  if (cellName(target) === "tax_id") takeRate(rowOf(target), target);
  if (cellName(target) || target.matches("[name^=overall_discount], [name^=org_currency_id]")) askForSumsSoon();
}

function handleInput({ target }) {
  if (!cellName(target)) return;
  growBelow(rowOf(target));
  noteTyping();
  if (target.matches(".number, .rate")) askForSumsSoon();
}

// --- Menus of lines close when the user clicks elsewhere or presses Escape ---

function closeOtherMenus(event) {
  for (const menu of form?.querySelectorAll(".line-menu details[open]") ?? []) {
    if (!event.composedPath().includes(menu.parentElement)) menu.removeAttribute("open");
  }
}

// On a phone a line that nobody is at is folded (lines.css): its button opens it instead of its menu.
function unfold(event) {
  const row = rowOf(event.target);
  if (!row || !getComputedStyle(row).getPropertyValue("--folded")) return;
  event.preventDefault();
  event.stopPropagation();
  openAt(event);
}

function closeMenuOnEscape(event) {
  const menu = event.key === "Escape" && event.target.closest(".line-menu details[open]");
  if (!menu) return;
  menu.removeAttribute("open");
  menu.querySelector("summary").focus();
}

function begin() {
  useForm(find("[data-document]"));
  forgetChanges();
  giveSumsUp();
  if (!form) return;
  watchHead();
  form.addEventListener("focusin", openAt, { capture: true }); // before the list of items looks at its field
  form.addEventListener("formdata", leaveOut);
  if (form.contains(document.activeElement)) openAt({ target: document.activeElement });
  beginItems();
  prepareFields(section());
  form.addEventListener("keydown", (event) => cellName(event.target) && handleKey(event));
  form.addEventListener("keydown", handleUndo);
  form.addEventListener("keydown", closeMenuOnEscape);
  form.addEventListener("click", unfold, { capture: true });
  form.addEventListener("click", handleClick);
  form.addEventListener("paste", handlePaste);
  form.addEventListener("htmx:afterRequest", replaceTable);
  form.addEventListener("change", handleChange);
  form.addEventListener("input", handleInput);
}

onPage(begin);
document.addEventListener("click", closeOtherMenus);
