// The list of items below the field of a line: the options of the page's datalist, filtered as the user types, and last an
// offer to create what was typed. The options of a long price list are asked for while the user types.

import { Listbox } from "listbox";
import { announceInLines, cell, enter, enterNumber, form, rowOf } from "lines/rows";
import { askForSumsSoon } from "lines/sums";
import { Lookup } from "lookup";
import { make } from "page";
import { loadOptions } from "suggestions";

const MAX_SHOWN = 8;
const PAUSE = 150; // ms after the last key

let listbox;

// The options for a typed text: first those that have it as their name or id, then those that start with it, then those
// that contain it.
export function matchingOptions(options, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const groups = [[], [], []];
  for (const option of options) {
    const name = option.value.toLowerCase();
    if (name === wanted || option.dataset.id === wanted) groups[0].push(option);
    else if (name.startsWith(wanted)) groups[1].push(option);
    else if (name.includes(wanted)) groups[2].push(option);
  }
  return groups.flat().slice(0, MAX_SHOWN);
}

// A name as an element, with the typed text in it marked.
function markTyped(name, text) {
  const at = name.toLowerCase().indexOf(text.toLowerCase());
  if (at < 0) return make("span", {}, name);
  const mark = make("mark", { textContent: name.slice(at, at + text.length) });
  return make("span", {}, name.slice(0, at), mark, name.slice(at + text.length));
}

function makeOption(source, index) {
  const hint = make("span", { className: "muted", textContent: source.textContent });
  return make("div", { id: `item-list-${index}`, role: "option", source }, markTyped(source.value, listbox.input.value.trim()), hint);
}

// The offer to create an item of that name. The service has no call that does it, so the line asks for the number that
// the item has there; the list learns both from the saved document.
function makeOffer(text) {
  const hint = make("span", { className: "muted", textContent: "item number needed" });
  return make("div", { id: "item-list-new", role: "option", className: "picker-create" }, `Add “${text}”`, hint);
}

// The items in the page: all, or of a long price list those that were found last.
const list = () => document.querySelector("#stock");
const load = (text, signal) => loadOptions(list(), text, signal);
const lookup = new Lookup({ load, onAnswer: offer, onFailure: () => offer(listbox.input.value.trim()) });

function attachTo(input) {
  if (!input.matches?.("[list=stock], [data-items]")) return; // data-items: attached before
  input.removeAttribute("list"); // the browser's own suggestions would cover this list
  input.toggleAttribute("data-items", true);
  input.parentElement.append(listbox.element);
  listbox.attachTo(input);
}

function search() {
  const { input } = listbox;
  cell(rowOf(input), "item_id").value = ""; // the id belonged to the text before
  lookup.cancel();
  const text = input.value.trim();
  if (!text) listbox.close();
  else if (list().dataset.search) lookup.ask(text, PAUSE);
  else offer(text);
}

function offer(text) {
  if (document.activeElement !== listbox.input) return; // left before the answer came
  const sources = matchingOptions([...list().options], text);
  listbox.element.replaceChildren(...sources.map(makeOption), makeOffer(text));
  listbox.open(sources.map(({ dataset }) => dataset.id).join(), listbox.options[0]);
}

// What choosing an item fills in, by cell.
function cellsOf(row, { value, dataset: { id, price, tax, rate } }) {
  const isChoice = cell(row, "tax_id").matches("select"); // of taxes with their rates
  return { item_name: value, item_id: id, price, tax_id: tax && (isChoice ? `${tax}|${rate}` : tax), tax_rate: rate };
}

// Fills the line from the option: name, id, price and tax. Keeps what the option has no value for.
function take({ source }, event) {
  const row = rowOf(listbox.input);
  listbox.close();
  event.preventDefault(); // Tab goes no further
  if (!source) {
    enterNumber(row);
    return;
  }
  for (const [name, value] of Object.entries(cellsOf(row, source))) {
    if (value || name === "item_id") cell(row, name).value = value;
  }
  askForSumsSoon();
  enter(cell(row, "quantity"));
}

const itemOf = (number) => [...list().options].find(({ dataset }) => dataset.id === number);

// The rate of a tax that was chosen from a long list; the server completes that of a typed one.
export function takeRate(row, tax) {
  if (!tax.list) return;
  const option = [...tax.list.options].find(({ value }) => value === tax.value);
  cell(row, "tax_rate").value = option?.dataset.rate ?? "";
}

// A typed item number fills in what the line lacks, and the page says whose number it is.
export async function takeNumber(row, number) {
  if (list().dataset.search) await load(number).catch(() => {}); // the server completes the line, too
  const item = itemOf(number);
  if (!item) return;
  for (const [name, value] of Object.entries(cellsOf(row, item))) {
    if (value && ["", "|"].includes(cell(row, name).value)) cell(row, name).value = value;
  }
  announceInLines(`Item ${number} is ${item.value}.`);
}

let about; // beside the number of an item: whose it is, or why it is asked for

function describeNumber(input) {
  if (!input.matches?.(".line-id")) return;
  const [number, name] = [input.value.trim(), cell(rowOf(input), "item_name").value.trim()];
  const item = itemOf(number);
  const isMissing = list().options.length > 0 && (number || name);
  about.textContent = isMissing ? `${number || `“${name}”`} isn't in your item list.` : "";
  if (item) about.replaceChildren(make("b", { textContent: item.value }), ` ${item.textContent}`);
  if (about.previousElementSibling !== input) input.after(about);
}

// Returns true if the list has used the key.
export function handleItemKey(event) {
  return event.target === listbox.input && listbox.isOpen && listbox.handleKey(event);
}

export const closeItems = () => listbox.close();

export function beginItems() {
  about = make("p", { role: "status" });
  listbox = new Listbox({ className: "item-list", id: "item-list", ariaLabel: "Items", hidden: true }, {
    isMatch: ({ source }) => source,
    isCalled: ({ source }, text) => source.value.toLowerCase() === text || source.dataset.id === text,
    take,
    dismiss: closeItems,
  });
  form.addEventListener("focusin", ({ target }) => [attachTo, describeNumber].forEach((act) => act(target)));
  form.addEventListener("input", ({ target }) => (target === listbox.input ? search() : describeNumber(target)));
  form.addEventListener("focusout", (event) => event.target === listbox.input && closeItems());
  // The page may have focused an item field before this module was loaded.
  if (form.contains(document.activeElement)) attachTo(document.activeElement);
}
