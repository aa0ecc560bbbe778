// Choosing rows of a list: x on a row, Shift and a click for a range, all of a page. The checkboxes and their form work
// without this.

import { Lookup } from "lookup";
import { find } from "page";

const rowBoxes = () => [...document.querySelectorAll("[data-results] [name=chosen]")];

let lastBox; // the box that was clicked last

// The indexes from one to another, in their order.
export function between(first, second) {
  const [from, to] = first < second ? [first, second] : [second, first];
  return Array.from({ length: to - from + 1 }, (_, step) => from + step);
}

// Sets every box between the last one and this one to its state.
function extendChosen(box) {
  const all = rowBoxes();
  const from = all.indexOf(lastBox);
  if (from < 0) return;
  for (const at of between(from, all.indexOf(box))) all[at].checked = box.checked;
}

function showChosen() {
  const all = rowBoxes();
  const chosen = all.filter((box) => box.checked);
  for (const box of all) box.closest("tr").classList.toggle("on", box.checked);
  const head = find("[data-choose-all]");
  if (head) {
    head.hidden = false;
    head.checked = all.length > 0 && chosen.length === all.length;
    head.indeterminate = chosen.length > 0 && !head.checked;
  }
  const form = find("#bulk");
  if (!form) return;
  const whole = form.elements.all?.checked;
  form.querySelector("[data-chosen-count]").textContent = whole ? "All selected" : `${chosen.length} selected`;
  form.querySelector("[data-here]").hidden = whole;
  for (const button of form.querySelectorAll("button")) button.disabled = !chosen.length;
  sumSoon(form, chosen.length > 0 && !whole);
}

// The server adds the amounts of the chosen rows up as they stand in their cells, in a pause of choosing.
const SUM_PAUSE = 150; // ms
const sums = new Lookup({
  load: loadSum,
  onAnswer: (place, sum) => void (place.textContent = sum),
  onFailure: () => {}, // the rows are chosen, without a sum
});

async function loadSum(place, signal) {
  const column = Number(place.dataset.sum);
  const head = find("[data-results] thead tr").cells[column];
  const common = find("small", head)?.textContent ?? ""; // not of further rows, which have their own
  const body = new FormData(place.closest("form"));
  for (const box of rowBoxes().filter((each) => each.checked)) {
    const currency = box.closest("[data-further]") ? "" : common;
    body.append("amount", `${box.closest("tr").cells[column].textContent.trim()} ${currency}`);
  }
  const answer = await fetch("sums/", { method: "POST", body, signal });
  return answer.ok && !answer.redirected ? `${head.firstChild.textContent.trim()} ${await answer.text()}` : "";
}

function sumSoon(form, isKnown) {
  const place = find("[data-sum]", form);
  if (!place) return; // the list has no amounts
  sums.cancel();
  place.textContent = "";
  if (isKnown) sums.ask(place, SUM_PAUSE);
}

function chooseNone() {
  for (const box of rowBoxes()) box.checked = false;
  showChosen();
}

document.addEventListener("click", (event) => {
  const box = event.target;
  if (!box.matches?.("[data-results] [name=chosen]")) return;
  if (event.shiftKey) extendChosen(box);
  lastBox = box;
  showChosen();
});

document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-choose-all]")) for (const box of rowBoxes()) box.checked = target.checked;
  if (target.matches("[data-choose-all], #bulk [name=all]")) showChosen();
});

document.addEventListener("reset", (event) => {
  if (event.target.id === "bulk") setTimeout(chooseNone);
});

document.addEventListener("keydown", (event) => {
  const nothingOpen = !find("dialog[open], :popover-open");
  if (event.key === "Escape" && nothingOpen && !event.defaultPrevented && rowBoxes().some((box) => box.checked)) chooseNone();
});

document.addEventListener("htmx:afterSettle", showChosen);
addEventListener("pageshow", showChosen);
showChosen();
