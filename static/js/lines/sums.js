// What the server says about the lines of a document: the sums, the amount of every line, and the cells that are no numbers. It
// is asked in a pause of typing, with what the sums need of the lines, not with the whole form.

import { cell, form, rows, textsOf } from "lines/rows";
import { Lookup } from "lookup";
import { find, make } from "page";

const PAUSE = 400; // ms; nobody reads a sum between two digits
const NUMBER_CELLS = ["quantity", "price", "discount", "tax_rate"];

const sums = () => find("#sums", form);
const lookup = new Lookup({
  load: loadSums,
  onAnswer: (_, { html, about }) => showSums(html, about),
  onFailure: () => {}, // the sums stay as they are; saving says what is wrong
});

// The rate of a chosen tax follows the bar in its option ("61|20"); any other rate is typed.
export function rateOf(tax, typed) {
  return tax.includes("|") ? tax.slice(tax.lastIndexOf("|") + 1) : typed;
}

// A line as the server reads it for the sums (dashboard/documents/lines.py).
function numbersOf(row) {
  if (row.matches("[data-is-header]")) return "\t\t\t\t#";
  const texts = textsOf(row);
  const [quantity, price, discount, typed, tax] = [...NUMBER_CELLS, "tax_id"].map((name) => (texts[name] ?? "").trim());
  return [quantity, price, discount, rateOf(tax, typed)].join("\t").trimEnd();
}

export function askForSumsSoon() {
  lookup.ask({}, PAUSE);
}

export const giveSumsUp = () => lookup.cancel();

async function loadSums(_, signal) {
  const about = rows(); // one of them may be gone when the answer comes
  const body = new FormData();
  for (const name of ["csrfmiddlewaretoken", "overall_discount", "overall_discount_type", "org_currency_id"]) {
    body.set(name, form.elements[name]?.value ?? "");
  }
  body.set("numbers", about.map(numbersOf).join("\n"));
  const answer = await fetch(sums().dataset.totalsUrl, { method: "POST", body, signal });
  if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
  return { html: await answer.text(), about };
}

function showSums(html, about) {
  sums().innerHTML = html;
  const { amounts, wrong, in: currency, total, totalLabel } = sums().querySelector("[data-amounts]").dataset;
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
  const told = document.getElementById(`${field.name}-error`);
  if (told && (told.dataset.about ?? field.defaultValue) !== field.value) removeWords(field, told);
  if (words && !document.getElementById(`${field.name}-error`)) addWords(field, words);
}

function addWords(field, words) {
  const parts = form.querySelector("template[data-why]").content;
  const line = parts.querySelector("p").cloneNode(true);
  Object.assign(line, { id: `${field.name}-error` }).dataset.about = field.value;
  line.querySelector("span").textContent = words;
  offerNumber(line, field, words);
  const row = field.closest("tbody[data-line]");
  if (!row.querySelector(".why")) row.append(parts.querySelector("tr").cloneNode(true));
  row.querySelector(".why [colspan]").append(line);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", line.id);
}

// “1,5”: did you mean 1.5? The button takes it.
function offerNumber(line, field, words) {
  const [, typed, meant] = /“([^”]+)”: did you mean ([^?]+)[?]/.exec(words) ?? [];
  if (!meant) return;
  const button = make("button", { type: "button", className: "button small", textContent: `Use ${meant}` });
  button.addEventListener("click", () => {
    field.value = field.value.replace(typed, meant);
    field.focus();
    removeWords(field, line);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  line.append(" ", button);
}

function removeWords(field, told) {
  const why = told.closest("tr");
  told.remove();
  if (!why.querySelector("p")) why.remove();
  field.removeAttribute("aria-invalid");
  field.removeAttribute("aria-describedby");
}
