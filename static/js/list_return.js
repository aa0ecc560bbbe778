// The way back to a list: its filters and page, and the row that was opened; and the focus of a page that opens again.

import { find, make, onPage, storage } from "page";

if (find("[data-forget]")) storage?.clear(); // the session is over

// htmx keeps the address there, with what was searched for; without it, it takes that of the page.
const forgetAddress = () => storage?.removeItem("htmx-current-path-for-history");
forgetAddress();
for (const moved of ["htmx:pushedIntoHistory", "htmx:replacedInHistory"]) document.addEventListener(moved, forgetAddress);

document.addEventListener("click", (event) => {
  const row = event.target.closest?.("[data-results] tbody th a");
  if (!row) return;
  const paths = [...document.querySelectorAll("[data-results] tbody th a:not(.about *)")].map((link) => link.pathname);
  const { wayBack, before } = find(".list-bar").dataset;
  const total = find(".list-bar .count").textContent.split(" ")[0]; // of "1,240 contacts"
  const search = wayBack ?? location.search; // encrypted where a name may stand in it
  storage?.setItem(`list:${location.pathname}`, JSON.stringify([search, row.pathname, paths, before, total]));
});

// [query string, path of the opened record, paths of all its rows, number of rows before them, of all rows in words] of
// the list as it was last left, or null.
function lastVisit(path) {
  return JSON.parse(storage?.getItem(`list:${path}`) ?? "null");
}

// True for the record's own page and the pages below it, such as its edit form.
export function isBelow(url, path) {
  return url !== "" && new URL(url).pathname.startsWith(path);
}

// The paths before and after one in a list of paths; undefined where there is none.
export function neighbours(paths, path) {
  const at = paths.indexOf(path);
  return at < 0 ? [] : [paths[at - 1], paths[at + 1]];
}

// A link to the previous or next record of the list that one came from.
function stepLink(path, key, label, list) {
  const title = `${label} (${key})`;
  const link = make("a", { className: "step", href: path, textContent: key === "[" ? "‹" : "›", title, ariaLabel: label });
  Object.assign(link.dataset, { key, keyLabel: label });
  link.addEventListener("click", () => storage?.setItem(`list:${list}`, JSON.stringify(lastVisit(list).with(1, path))));
  return link;
}

function addSteps(crumb, list, [, , paths, first, total]) {
  const [before, after] = neighbours(paths, location.pathname);
  const steps = make("span", { className: "steps-in" });
  const place = paths.indexOf(location.pathname) + 1;
  if (place && total) steps.append(`${(Number(first ?? 0) + place).toLocaleString("en")} of ${total}`);
  if (before) steps.append(stepLink(before, "[", "Previous in the list", list));
  if (after) steps.append(stepLink(after, "]", "Next in the list", list));
  crumb.append(steps);
}

onPage(() => {
  for (const link of document.querySelectorAll("[data-list-link]")) {
    const last = lastVisit(link.pathname);
    if (last) link.search = last[0];
    if (last?.[2]) addSteps(link.parentElement, link.pathname, last);
  }
  for (const field of document.querySelectorAll("[data-list-back]")) field.value += lastVisit(field.value)?.[0] ?? "";
});
const visit = find("[data-results]") && lastVisit(location.pathname);
// The browser's own Back keeps the referrer that the list had when it was first opened.
const howOpened = performance.getEntriesByType("navigation")[0]?.type;
const wentBack = howOpened === "back_forward";
if (visit && (isBelow(document.referrer, visit[1]) || (wentBack && (location.search === visit[0] || find("[data-way-back]"))))) {
  const around = neighbours(visit[2] ?? [], visit[1]).reverse(); // a row that was deleted leaves the next one
  const rows = [visit[1], ...around].map((path) => path && find(`[data-results] tbody a[href="${CSS.escape(path)}"]`));
  const row = rows.find(Boolean);
  row?.focus();
  row?.scrollIntoView({ block: "center" });
}

// --- A view of the list was chosen, or saved: on to its first row, as after a filter ---

// True for a list that was opened from itself, or from the pages that save its views.
export function isSameList(referrer, path) {
  return referrer !== "" && (new URL(referrer).pathname === path || isBelow(referrer, `${path}views/`));
}

if (howOpened === "navigate" && find("[data-results]") && isSameList(document.referrer, location.pathname)) {
  (find("[data-results] tbody th a") ?? find("#views [aria-current]"))?.focus();
}

// --- A form opens its page again: the focus goes to its button, or to the row that has the place of its row ---

export const rowLinks = () => [...document.querySelectorAll(":is([data-results], [data-rows]) tbody th a")];
const acted = JSON.parse(storage?.getItem("acted") ?? "null");
storage?.removeItem("acted");
if (acted && acted[0] === location.pathname && !find("[autofocus]")) {
  const [, row, action] = acted;
  const control = row < 0 ? find(`form[action="${CSS.escape(action)}"] [type=submit]`) : (rowLinks()[row] ?? rowLinks().at(-1));
  control?.focus();
}

// A page that the server has the browser load again (HX-Refresh) keeps its focus.
const focused = find(`[id="${storage?.getItem("reloaded")}"]`);
storage?.removeItem("reloaded");
focused?.focus({ preventScroll: true });
document.addEventListener("htmx:beforeOnLoad", ({ detail }) => {
  if (detail.xhr.getResponseHeader("HX-Refresh")) storage?.setItem("reloaded", document.activeElement?.id ?? "");
});

document.addEventListener("submit", ({ target, defaultPrevented }) => {
  if (defaultPrevented) return;
  const row = find("th a", target.closest(":is([data-results], [data-rows]) tbody tr") ?? target);
  storage?.setItem("acted", JSON.stringify([location.pathname, rowLinks().indexOf(row), target.getAttribute("action") ?? ""]));
});
