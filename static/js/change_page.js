// Replaces the page within the same document. A form sent that way stays until there is an answer, and the keys after one
// that opens a form are kept: they go into a field of keys.js, and from there into the first field of the page. Forms load
// this module, other pages with the first such key.

import { holdKeys } from "keys";
import { showAlert, UNREACHABLE } from "live_regions";
import { find, make } from "page";

const TOO_LONG = 60_000; // ms until no answer to a sent form is expected any more
const PAUSE = 700; // ms without a key, after which nobody types on

let kept; // what was typed for a form that has not opened: {path, text}

// --- What a page is made of ---

// The text of a field's part, and of those after it: Tab leads from one to the next.
export const typedParts = (text) => text.split("\t");

// The [name, value] pairs of a form as a browser sends them: a line ends with CR and LF.
export function sentPairs(pairs) {
  return [...pairs].filter(([, value]) => typeof value === "string").map(([name, value]) => [name, value.replace(/\r?\n/g, "\r\n")]);
}

const parse = (html) => new DOMParser().parseFromString(html, "text/html");

// Modules by their names: after an upgrade a page has other versions of them, which cannot join those that are here. A module
// that is new since then comes by its address.
function loadFiles(page) {
  const modules = [...page.querySelectorAll("script[data-module]")];
  const here = [...document.styleSheets].map(({ href }) => href);
  const styles = [...page.querySelectorAll("link[rel=stylesheet]")].filter(({ href }) => !here.includes(href));
  return Promise.all([
    ...modules.map(({ src, dataset }) => import(dataset.module).catch(() => import(src))),
    ...styles.map(({ href }) => addStyles(href)),
  ]);
}

function addStyles(href) {
  return new Promise((resolve) => {
    document.head.append(make("link", { rel: "stylesheet", href, onload: resolve, onerror: resolve }));
  });
}

const pathOf = (address) => new URL(address, location.href).pathname;

const tell = (name) => document.dispatchEvent(new CustomEvent(name));

// --- Showing it ---

// url: the address of a page other than the one at hand.
function showPage(page, url) {
  tell("page-left");
  if (url) pushAddress(url);
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  for (const layer of document.querySelectorAll(":popover-open")) layer.hidePopover();
  for (const part of ["#main", ".menu"]) {
    const now = find(part);
    const next = page.querySelector(part);
    if (now && next) now.replaceWith(next);
    if (now && next) window.htmx?.process(next);
  }
  document.title = page.title;
  scrollTo(0, 0);
  tell("page-changed");
}

// Going back leads to a page that is not in this document any more, so next_page.js loads it.
function pushAddress(url) {
  history.replaceState({ page: location.pathname, ...history.state }, "");
  history.pushState({ page: url }, "", url);
}

const isFree = (field) => !field.disabled && !field.readOnly && field.checkVisibility() && field.tabIndex >= 0;

function firstField(main) {
  const fields = "input:not([type=hidden], [type=checkbox], [type=radio]), textarea, select";
  return main.querySelector("[autofocus]") ?? [...main.querySelectorAll(`form[data-save-form] :is(${fields})`)].find(isFree);
}

function fieldAfter(field) {
  const all = [...field.form.querySelectorAll("input, select, textarea, button, summary, a[href]")].filter(isFree);
  return all[all.indexOf(field) + 1];
}

// As typed: in a select the first option that starts with the text.
function write(field, text) {
  if (!text) return;
  const option = field.matches("select") && [...field.options].find((each) => each.text.toLowerCase().startsWith(text.toLowerCase()));
  if (option) option.selected = true;
  else if (field.matches("input, textarea") && !field.value) field.value = text;
  else return;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  if (!field.closest("record-picker")) field.dispatchEvent(new Event("change", { bubbles: true })); // it reports a choice
}

// Puts what was typed into this field, unless that is filled, and what follows a Tab into the next one.
export function writeTyped(first, text) {
  let field = first;
  for (const part of typedParts(text)) {
    field?.focus();
    if (field) write(field, part);
    field = field && fieldAfter(field);
  }
}

// --- Opening a form ---

// Opens the form at this address with what is typed into `held` meanwhile. If that is taken away, the page at hand stays,
// unless its form was sent.
export async function openPage(url, held, { isSent = false } = {}) {
  try {
    const answer = await fetch(url);
    const page = parse(await answer.text());
    if (!held.isConnected && !isSent) return;
    if (!page.querySelector("#main")) throw new Error(answer.status); // from something on the way, such as a proxy
    if (held.isConnected && answer.ok && page.querySelector("#main [data-draft]")) await showForm(page, answer.url, held);
    else location.assign(answer.url);
  } catch {
    if (held.isConnected) await showUnreachable(url, held);
    else if (isSent) location.assign(url);
  }
}

async function showForm(page, url, held) {
  await loadFiles(page);
  showPage(page, url);
  writeTyped(firstField(find("#main")), (pathOf(url) === kept?.path ? kept.text : "") + held.value);
  kept = undefined;
  held.remove();
}

// Takes the keys that are still typed, as they are no commands for this page. The next attempt has them.
async function showUnreachable(url, held) {
  showAlert(`${UNREACHABLE} What you typed is kept.`, url);
  await pauseOf(held);
  if (!held.isConnected) return;
  kept = { path: pathOf(url), text: held.value };
  held.remove();
  find("#alerts a").focus();
}

function pauseOf(held) {
  return new Promise((resolve) => {
    let timer = setTimeout(resolve, PAUSE);
    held.addEventListener("keydown", () => {
      clearTimeout(timer);
      timer = setTimeout(resolve, PAUSE);
    });
  });
}

// --- Sending a form ---

function sentBody(form, button) {
  return new URLSearchParams(sentPairs(new FormData(form, button)));
}

// Sends a form, and shows the page that answers it. Returns false if there was no answer: the form is as it was.
export async function sendForm(form, button) {
  const url = button?.hasAttribute("formaction") ? button.formAction : form.action;
  const signal = AbortSignal.timeout(TOO_LONG);
  const held = button?.name === "save_new" ? holdKeys() : undefined;
  try {
    const headers = { "X-Sent-By": "script" };
    const answer = await fetch(url, { method: "POST", body: sentBody(form, button), headers, signal });
    const page = parse(await answer.text());
    const next = answer.headers.get("X-Location");
    if (next) goOn(next, held);
    else if (page.querySelector("#main")) await showAnswer(page);
    else throw new Error(answer.status); // as above
    if (!next) putAside(held, url);
    return true;
  } catch {
    putAside(held, url);
    return false;
  }
}

// Text typed for a form that did not open; the next form at this address gets it.
function putAside(held, url) {
  if (held?.value) kept = { path: pathOf(url), text: held.value };
  held?.remove();
}

function goOn(url, held) {
  if (held?.isConnected) openPage(url, held, { isSent: true });
  else location.assign(url);
}

async function showAnswer(page) {
  await loadFiles(page).catch(() => {}); // it is shown in any case, as it says what became of the form
  showPage(page);
  const main = find("#main");
  (main.querySelector("[autofocus]") ?? main).focus();
}
