// A new contact or lead: a signature that is pasted into any field is read at once, a table opens the import of its rows, and
// what is there already is told on leaving a name, an email or a number. A look-up that fails says nothing.

import { find, onPage } from "page";

let entryForm;
let table; // the form that opens the import of a pasted table
const asked = new Map(); // the value that was last looked up, by field

// Whether a value is to be looked up: it is not empty, and another one than before.
export const isNew = (value, before) => value !== "" && value !== (before ?? "");

async function lookUp(field) {
  const place = entryForm.querySelector(`[data-known="${CSS.escape(field.name)}"]`);
  const value = field.value.trim();
  if (!place || value === asked.get(field.name)) return;
  const isAsked = isNew(value, asked.get(field.name));
  asked.set(field.name, value);
  if (!isAsked) {
    place.replaceChildren();
    return;
  }
  try {
    const query = new URLSearchParams({ field: field.name, value });
    const answer = await fetch(`${entryForm.dataset.knownUrl}?${query}`);
    const html = answer.ok && !answer.redirected ? await answer.text() : "";
    const found = new DOMParser().parseFromString(html.trim(), "text/html").body;
    if (asked.get(field.name) === value) place.replaceChildren(...found.childNodes);
  } catch {
    place.replaceChildren();
  }
}

// Whether a pasted text is several rows of a spreadsheet.
export const isTable = (text) => text.split(/\r?\n/).filter((row) => row.includes("\t")).length > 1;

// Whether a text that is pasted into a field of one line is a signature: it has several lines.
export const isSignature = (text) => text.split(/\r?\n/).filter((row) => row.trim()).length > 1;

function pasteText(event) {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (table && isTable(text)) sendTable(event, text);
  else if (event.target.matches("input[type=text], input[type=email]") && isSignature(text)) sendSignature(event, text);
}

function sendTable(event, text) {
  event.preventDefault();
  table.querySelector("textarea").value = text;
  table.requestSubmit();
}

function sendSignature(event, text) {
  event.preventDefault();
  const field = entryForm.querySelector("[data-pasted]");
  field.value = text;
  entryForm.requestSubmit(field.parentElement.querySelector("button"));
}

function readPasted(event) {
  if (event.defaultPrevented) return;
  const button = event.target.parentElement.querySelector("button");
  setTimeout(() => event.target.value.trim() && entryForm.requestSubmit(button)); // once the text is in the field
}

function begin() {
  entryForm = find("form[data-known-url]");
  table = find("form[data-table]");
  asked.clear();
  entryForm?.addEventListener("paste", pasteText);
  entryForm?.addEventListener("focusout", (event) => event.target.name && lookUp(event.target));
  entryForm?.querySelector("[data-pasted]")?.addEventListener("paste", readPasted);
}

onPage(begin);
