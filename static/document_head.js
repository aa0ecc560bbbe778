// The fields above the lines of a document: the due date follows the customer and the date, and Enter goes to the lines.

export function watchHead(form, enterLines) {
  const offersDueDate = form.elements.due_date && !form.elements.snapshot; // new invoices only
  let offeredDueDate = form.elements.due_date?.value;
  let lastKey = "";

  // Keeps a due date that the user has typed.
  async function offerDueDate() {
    const { due_date: due, customer_id: customer, transaction_date: date } = form.elements;
    if (!offersDueDate || due.value !== offeredDueDate) return;
    const query = new URLSearchParams({ customer: customer?.value ?? "", date: date.value });
    const response = await fetch(`${document.documentElement.dataset.root}invoices/due/?${query}`).catch(() => null);
    if (!response?.ok || due.value !== offeredDueDate) return;
    const { text } = await response.json();
    if (!text || text === offeredDueDate) return;
    due.value = text;
    offeredDueDate = text;
    due.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // Enter that chooses the customer goes on to the lines as well.
  function handleChange({ target }) {
    if (!target.closest("[data-to-lines]")) return;
    offerDueDate();
    const picker = target.closest("record-picker");
    if (lastKey === "Enter" && target.value && picker?.contains(document.activeElement)) enterLines();
  }

  function handleKey(event) {
    if (event.key !== "Enter" || event.defaultPrevented || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!event.target.matches("input") || !event.target.closest("[data-to-lines]")) return;
    event.preventDefault();
    enterLines();
  }

  for (const field of form.querySelectorAll("[data-offered]")) field.disabled = true; // offerDueDate replaces it
  form.addEventListener("change", handleChange);
  form.addEventListener("keydown", handleKey);
  form.addEventListener("keydown", ({ key }) => void (lastKey = key), { capture: true }); // before the picker uses it
}
