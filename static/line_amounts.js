// What the server says about the lines of a document: the sums, the amount of every line, and the cells that are no
// numbers. It is asked in a pause of typing, with what the sums need of the lines, not with the whole form.

const PAUSE = 400; // ms; nobody reads a sum between two digits

const form = document.querySelector("[data-document]");
const sums = form?.querySelector("#sums");
const rows = () => [...form.querySelectorAll("tbody[data-line]")];
const cell = (row, name) => row.querySelector(`[data-cell="${name}"]`);
const NUMBER_CELLS = ["quantity", "price", "discount", "tax_rate"];

// --- Asking ---

let timer;
let asked; // the AbortController of the request under way

// The rate of a chosen tax is behind the bar of its option ("61|20"); any other rate is typed.
export function rateOf(tax, typed) {
  return tax.includes("|") ? tax.slice(tax.lastIndexOf("|") + 1) : typed;
}

// A line as the server reads it for the sums (dashboard/documents/formset.py).
function numbersOf(row) {
  if (row.matches("[data-is-header]")) return "\t\t\t\t#";
  const [quantity, price, discount, typed, tax] = [...NUMBER_CELLS, "tax_id"].map((name) => cell(row, name).value.trim());
  return [quantity, price, discount, rateOf(tax, typed)].join("\t").trimEnd();
}

function askSoon() {
  clearTimeout(timer);
  timer = setTimeout(ask, PAUSE);
}

async function ask() {
  asked?.abort();
  const mine = (asked = new AbortController());
  const about = rows(); // one of them may be gone when the answer comes
  const body = new FormData();
  for (const name of ["csrfmiddlewaretoken", "overall_discount", "overall_discount_type", "org_currency_id"]) {
    body.set(name, form.elements[name]?.value ?? "");
  }
  body.set("numbers", about.map(numbersOf).join("\n"));
  try {
    const answer = await fetch(sums.dataset.totalsUrl, { method: "POST", body, signal: mine.signal });
    if (answer.ok && !answer.redirected) show(await answer.text(), about);
  } catch {
    // The sums stay as they are; saving says what is wrong.
  }
}

// --- Showing ---

function show(html, about) {
  sums.innerHTML = html;
  const { amounts, wrong, in: currency, total, totalLabel } = sums.querySelector("[data-amounts]").dataset;
  for (const place of form.querySelectorAll("[data-currency]")) place.textContent = currency && `, ${currency}`;
  form.querySelector("#bar-label").textContent = totalLabel;
  form.querySelector("#bar-total").textContent = total;
  const words = JSON.parse(wrong);
  JSON.parse(amounts).forEach((amount, place) => showLine(about[place], amount, words[place]));
}

function showLine(row, amount, wrong) {
  if (wrong || row.rows.length > 1) NUMBER_CELLS.forEach((name) => tellWrong(cell(row, name), wrong?.[name]));
  const output = row.querySelector("output");
  if (output.textContent !== amount) output.textContent = amount;
}

// --- Cells that are no numbers: told below the line once they are left, as after sending the form ---

function tellWrong(field, words) {
  if (!field || field === document.activeElement) return; // is being typed
  const told = document.getElementById(`${field.id}-error`);
  if (told && (told.dataset.about ?? field.defaultValue) !== field.value) removeWords(field, told);
  if (words && !document.getElementById(`${field.id}-error`)) addWords(field, words);
}

function addWords(field, words) {
  const parts = form.querySelector("template[data-why]").content;
  const line = parts.querySelector("p").cloneNode(true);
  Object.assign(line, { id: `${field.id}-error` }).dataset.about = field.value;
  line.querySelector("span").textContent = words;
  const row = field.closest("tbody[data-line]");
  if (!row.querySelector(".why")) row.append(parts.querySelector("tr").cloneNode(true));
  row.querySelector(".why [colspan]").append(line);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", line.id);
}

function removeWords(field, told) {
  const why = told.closest("tr");
  told.remove();
  if (!why.querySelector("p")) why.remove();
  field.removeAttribute("aria-invalid");
  field.removeAttribute("aria-describedby");
}

form?.addEventListener("lines-changed", askSoon);
