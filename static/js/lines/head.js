// The fields above the lines: the due date follows the customer and the date, and Enter goes to the lines.

import { cell, enter, form, rows } from "lines/rows";
import { SITE } from "page";

export function watchHead() {
  const offersDueDate = form.elements.due_date && !form.elements.snapshot; // new invoices only
  let offeredDueDate = form.elements.due_date?.value;
  let lastKey = "";

  function query() {
    const { customer_id: customer, transaction_date: date } = form.elements;
    return new URLSearchParams({ customer: customer?.value ?? "", date: date.value }).toString();
  }

  // Keeps a due date that the user has typed, and ignores an answer for another customer or date than the form has now.
  async function offerDueDate() {
    const { due_date: due } = form.elements;
    if (!offersDueDate || due.value !== offeredDueDate) return;
    const asked = query();
    const response = await fetch(`${SITE}invoices/due/?${asked}`).catch(() => null);
    if (!response?.ok) return;
    const { text } = await response.json();
    if (!text || text === offeredDueDate || due.value !== offeredDueDate || asked !== query()) return;
    due.value = text;
    offeredDueDate = text;
    due.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // Enter that chooses the customer goes on to the lines as well.
  function followHead({ target }) {
    if (!target.closest("[data-to-lines]")) return;
    offerDueDate();
    const picker = target.closest("record-picker");
    if (lastKey === "Enter" && target.value && picker?.contains(document.activeElement)) enterFirstLine();
  }

  function goToLines(event) {
    if (event.key !== "Enter" || event.defaultPrevented || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!event.target.matches("input") || !event.target.closest("[data-to-lines]")) return;
    event.preventDefault();
    enterFirstLine();
  }

  form.addEventListener("change", followHead);
  form.addEventListener("keydown", goToLines);
  form.addEventListener("keydown", ({ key }) => void (lastKey = key), { capture: true }); // before the picker uses it
}

function enterFirstLine() {
  enter(cell(rows().find((row) => !cell(row, "item_name").value.trim()) ?? rows()[0], "item_name"));
}
