// A new contact or lead: a pasted signature is read at once, a table pasted into any field opens the import of its rows, and
// what is there already is told on leaving a name, an email or a number. A look-up that fails says nothing.

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

function pasteTable(event) {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!table || !isTable(text)) return;
  event.preventDefault();
  table.querySelector("textarea").value = text;
  table.requestSubmit();
}

function readPasted(event) {
  if (event.defaultPrevented) return;
  const button = event.target.parentElement.querySelector("button");
  setTimeout(() => event.target.value.trim() && entryForm.requestSubmit(button)); // once the text is in the field
}

function begin() {
  entryForm = document.querySelector("form[data-known-url]");
  table = document.querySelector("form[data-table]");
  asked.clear();
  entryForm?.addEventListener("paste", pasteTable);
  entryForm?.addEventListener("focusout", (event) => event.target.name && lookUp(event.target));
  entryForm?.querySelector("[data-pasted]")?.addEventListener("paste", readPasted);
}

begin();
document.addEventListener("page-changed", begin); // change_page.js
