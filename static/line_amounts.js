// What the server says about the lines of a document: their amounts, and the cells that are no numbers.

const form = document.querySelector("[data-document]");
const cell = (row, name) => row.querySelector(`[data-cell="${name}"]`);
const NUMBER_CELLS = ["quantity", "price", "discount", "tax_rate"];

// --- Amounts: the server sends them by line key; the line may have been removed since ---

function showAmounts(event) {
  const sums = event.target.id === "sums" && event.target.querySelector("[data-amounts]");
  if (!sums) return;
  const amounts = JSON.parse(sums.dataset.amounts);
  for (const place of form.querySelectorAll("[data-currency]")) place.textContent = sums.dataset.in && `, ${sums.dataset.in}`;
  const wrong = JSON.parse(sums.dataset.wrong);
  for (const row of form.querySelectorAll("tbody[data-line]")) {
    if (!row.matches("[data-is-header]")) NUMBER_CELLS.forEach((name) => tellWrong(cell(row, name), wrong[row.dataset.line]?.[name]));
    const output = row.querySelector("output");
    const amount = amounts[row.dataset.line] ?? "";
    if (output.textContent !== amount) output.textContent = amount;
  }
}

// --- Cells that are no numbers: told below the line once they are left, as after sending the form ---

function tellWrong(field, words) {
  if (field === document.activeElement) return; // is being typed
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

form?.addEventListener("htmx:afterSwap", showAmounts);
