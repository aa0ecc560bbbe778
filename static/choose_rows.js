// Choosing rows of a list: x on a row, Shift and a click for a range, all of a page, and how many are chosen.
// The checkboxes and the form that they belong to work without this.

const boxes = () => [...document.querySelectorAll("[data-results] [name=chosen]")];

let last; // the box that was clicked last

// The indexes from one to another, in their order.
export function between(first, second) {
  const [from, to] = first < second ? [first, second] : [second, first];
  return Array.from({ length: to - from + 1 }, (_, step) => from + step);
}

// Sets every box between the last one and this one to its state.
function extend(box) {
  const all = boxes();
  const from = all.indexOf(last);
  if (from < 0) return;
  for (const at of between(from, all.indexOf(box))) all[at].checked = box.checked;
}

function show() {
  const all = boxes();
  const chosen = all.filter((box) => box.checked);
  for (const box of all) box.closest("tr").classList.toggle("on", box.checked);
  const head = document.querySelector("[data-choose-all]");
  if (head) {
    head.hidden = false;
    head.checked = all.length > 0 && chosen.length === all.length;
    head.indeterminate = chosen.length > 0 && !head.checked;
  }
  const form = document.querySelector("#bulk");
  if (!form) return;
  const whole = form.elements.all?.checked;
  form.querySelector("[data-chosen-count]").textContent = whole ? "All chosen" : `${chosen.length} chosen`;
  form.querySelector("[data-here]").hidden = whole;
  for (const button of form.querySelectorAll("button")) button.disabled = !chosen.length;
  sumSoon(form, chosen.length > 0 && !whole);
}

// The server adds the amounts of the chosen rows up, in a pause of choosing.
const PAUSE = 150; // ms
let timer;
let asked; // the AbortController of the request under way

function sumSoon(form, isKnown) {
  clearTimeout(timer);
  asked?.abort();
  form.querySelector("[data-sum]").textContent = "";
  if (isKnown) timer = setTimeout(() => sum(form), PAUSE);
}

async function sum(form) {
  const place = form.querySelector("[data-sum]");
  asked = new AbortController();
  try {
    const answer = await fetch(place.dataset.sum, { method: "POST", body: new FormData(form), signal: asked.signal });
    if (answer.ok && !answer.redirected) place.textContent = await answer.text();
  } catch {
    // The rows are chosen, without a sum.
  }
}

function chooseNone() {
  for (const box of boxes()) box.checked = false;
  show();
}

document.addEventListener("click", (event) => {
  const box = event.target;
  if (!box.matches?.("[data-results] [name=chosen]")) return;
  if (event.shiftKey) extend(box);
  last = box;
  show();
});

document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-choose-all]")) for (const box of boxes()) box.checked = target.checked;
  if (target.matches("[data-choose-all], #bulk [name=all]")) show();
});

document.addEventListener("reset", (event) => {
  if (event.target.id === "bulk") setTimeout(chooseNone);
});

document.addEventListener("keydown", (event) => {
  const nothingOpen = !document.querySelector("dialog[open], :popover-open");
  if (event.key === "Escape" && nothingOpen && !event.defaultPrevented && boxes().some((box) => box.checked)) chooseNone();
});

document.addEventListener("htmx:afterSettle", show);
addEventListener("pageshow", show);
show();
