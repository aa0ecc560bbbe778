// Moves a card of the board to another stage: it is dragged there, or goes to the next one by > and to the one before by <.
// The form #move carries it out; the answer is the board as it is then, with why where the card was not moved.

import { find } from "page";

const form = find("#move");

const stageOf = (part) => part.closest("[data-stage]");
const link = (card) => card.querySelector("a");

// The stage so many places after another one; undefined beyond the ends.
export function stageBeside(stages, stage, step) {
  const at = stages.indexOf(stage);
  return at < 0 ? undefined : stages[at + step];
}

function move(card, stage) {
  const from = stageOf(card);
  if (!stage || stage === from || form.hasAttribute("data-sent")) return;
  const { pathname } = link(card);
  form.action = `${pathname}stage/`;
  form.elements.seen.value = from.dataset.stage;
  form.elements.to.value = stage.dataset.stage;
  card.classList.add("moving");
  stage.querySelector(".cards-of")?.prepend(card);
  form.elements.back.value = `${location.pathname}${location.search}#${pathname}`;
  form.requestSubmit();
}

// The address of a board to which a press leads back ends with that of the deal.
function focusMoved() {
  const moved = location.hash.slice(1);
  [...document.querySelectorAll(".card a")].find(({ pathname }) => pathname === moved)?.focus();
}

function listen(board) {
  const stages = [...board.querySelectorAll("[data-stage]")];
  let dragged = null;
  const mark = (stage) => stages.forEach((each) => each.classList.toggle("over", each === stage));

  board.addEventListener("keydown", (event) => {
    const step = { "<": -1, ">": 1 }[event.key];
    const card = event.target.closest(".card");
    if (!step || !card || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move(card, stageBeside(stages, stageOf(card), step));
  });
  board.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.(".card");
    if (!dragged) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", link(dragged).textContent);
  });
  board.addEventListener("dragover", (event) => {
    const stage = dragged && stageOf(event.target);
    mark(stage === (dragged && stageOf(dragged)) ? null : stage);
    if (stage) event.preventDefault();
  });
  board.addEventListener("drop", (event) => {
    const stage = dragged && stageOf(event.target);
    if (!stage) return;
    event.preventDefault();
    move(dragged, stage);
  });
  board.addEventListener("dragend", () => {
    dragged = null;
    mark(null);
  });
}

// A board that the browser kept as it was left has cards where they may not be any more.
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());

if (form) {
  listen(find(".board"));
  focusMoved();
}
