// A field with suggestions from a long list: its datalist asks for the entries that match what is typed.

import { Lookup } from "lookup";

const PAUSE = 150; // ms after the last key

export async function loadOptions(list, text, signal) {
  const answer = await fetch(`${list.dataset.search}?${new URLSearchParams({ q: text })}`, { signal });
  if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
  list.innerHTML = await answer.text();
}

const lookup = new Lookup({
  load: ({ list, value }, signal) => loadOptions(list, value, signal),
  onAnswer: () => {},
  onFailure: () => {}, // the name is looked up when the form is sent
});

document.addEventListener("input", ({ target }) => {
  const { list, value } = target;
  if (!list?.dataset.search || !value.trim()) return;
  const isChosen = [...list.options].some((option) => option.value === value);
  if (!isChosen) lookup.ask({ list, value }, PAUSE);
});
