// The form of a new contact or lead: a pasted signature is read at once, a table pasted into any field opens the import
// of its rows, and what is there already is told on leaving a name, an email or a number. A look-up that fails says nothing.

const form = document.querySelector("form[data-known-url]");
const asked = new Map(); // the value that was last looked up, by field

// Whether a value is to be looked up: it is not empty, and another one than before.
export const isNew = (value, before) => value !== "" && value !== (before ?? "");

async function lookUp(field) {
  const place = form.querySelector(`[data-known="${CSS.escape(field.name)}"]`);
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
    const answer = await fetch(`${form.dataset.knownUrl}?${query}`);
    const html = answer.ok && !answer.redirected ? await answer.text() : "";
    if (asked.get(field.name) === value) place.innerHTML = html.trim();
  } catch {
    place.replaceChildren();
  }
}

// Whether a pasted text is several rows of a spreadsheet.
export const isTable = (text) => text.split(/\r?\n/).filter((row) => row.includes("\t")).length > 1;

const table = document.querySelector("form[data-table]");

form?.addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!table || !isTable(text)) return;
  event.preventDefault();
  table.querySelector("textarea").value = text;
  table.requestSubmit();
});

form?.addEventListener("focusout", (event) => event.target.name && lookUp(event.target));

form?.querySelector("[data-pasted]")?.addEventListener("paste", (event) => {
  if (event.defaultPrevented) return;
  const button = event.target.parentElement.querySelector("button");
  setTimeout(() => event.target.value.trim() && form.requestSubmit(button)); // once the text is in the field
});
