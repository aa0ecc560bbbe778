// Behaviour that every page shares; all of them work without it. One file, as each is a request of its own.

const find = (selector, root = document) => root.querySelector(selector);
const whenIdle = globalThis.requestIdleCallback ?? setTimeout; // Safari has only the latter

// --- Live regions ---

function announce(message) {
  const region = find("#announcer");
  if (region) region.textContent = message;
}

function showAlert(message, retryUrl) {
  const region = find("#alerts");
  if (!region) return;
  const note = Object.assign(document.createElement("div"), { className: "notice bad" });
  const text = Object.assign(document.createElement("p"), { textContent: message });
  if (retryUrl) text.append(" ", tryAgain(retryUrl));
  const icon = find(".i")?.cloneNode(true); // one that the page has
  const drawn = icon?.firstChild;
  drawn?.setAttribute("href", drawn.getAttribute("href").replace(/#.*/, "#circle-alert"));
  note.append(icon ?? "", text);
  region.replaceChildren(note);
  addCloseButton(note);
}

function tryAgain(url, classes = "") {
  return Object.assign(document.createElement("a"), { href: url, className: classes, textContent: "Try again" });
}

// It works with JavaScript only.
function addCloseButton(note) {
  if (find(".close", note)) return;
  const close = Object.assign(document.createElement("button"), { type: "button", className: "close", textContent: "×" });
  close.setAttribute("aria-label", "Dismiss");
  close.addEventListener("click", () => {
    note.remove();
    find("#main")?.focus();
  });
  note.append(close);
}

// --- htmx ---

// Read by htmx after this.
if (globalThis.htmx) {
  Object.assign(globalThis.htmx.config, {
    historyCacheSize: 0, // no page is kept in the browser's storage
    historyRestoreAsHxRequest: false,
    refreshOnHistoryMiss: true,
    timeout: 15_000, // ms
    allowEval: false,
    allowScriptTags: false,
    includeIndicatorStyles: false, // the policy for contents refuses them
    defaultSettleDelay: 0,
    responseHandling: [
      { code: "204", swap: false },
      { code: "[23]..", swap: true },
      { code: "409|422", swap: true },
      { code: "...", swap: false, error: true },
    ],
  });
}

// --- Failed htmx requests ---

const UNREACHABLE = "Entry Desk cannot be reached. Check your network.";
const TOO_SLOW = "Entry Desk took too long to answer.";
const MESSAGES = {
  0: UNREACHABLE,
  401: "You are signed out. Sign in, then try again.",
  403: "You are not allowed to do this, or the page is too old. Reload it.",
  404: "This does not exist any more.",
  413: "That is too much at once.",
  429: "Too many requests. Wait a moment.",
};

// The message for an HTTP status (0: no answer).
export function failureMessage(status, { reading }) {
  const otherwise = reading
    ? "Entry Desk could not load this."
    : "Entry Desk had an error. Check if this was saved.";
  return MESSAGES[status] ?? otherwise;
}

function showFailure(event, message) {
  const { requestConfig, xhr, pathInfo } = event.detail;
  clearBusy(xhr);
  if (xhr?.getResponseHeader("HX-Retarget")) return; // the response brings its own message
  if (xhr?.status === 429 && event.target.hidden) return; // names: their numbers stay on the page
  const reading = requestConfig?.verb === "get";
  showAlert(message ?? failureMessage(xhr?.status, { reading }), reading ? pathInfo?.finalRequestPath : null);
}

// The part that each request replaces; its response may be shown elsewhere (HX-Retarget).
const busyParts = new WeakMap();

function clearBusy(request) {
  busyParts.get(request)?.removeAttribute("aria-busy");
}

document.addEventListener("htmx:beforeRequest", (event) => {
  busyParts.set(event.detail.xhr, event.detail.target);
  event.detail.target.setAttribute("aria-busy", "true");
});
document.addEventListener("htmx:afterRequest", (event) => {
  clearBusy(event.detail.xhr);
  if (busyParts.get(event.detail.xhr)?.matches("[data-results]")) noteResults(event.detail);
});

// --- What a list shows while the service cannot be reached ---

let readAt = new Date();

// "Showing what was read at 09:42." after a failed request; a success takes the alert away.
function noteResults({ successful, pathInfo }) {
  const note = find("[data-stale]");
  if (successful) {
    readAt = new Date();
    find("#alerts")?.replaceChildren();
  }
  if (!note) return;
  note.hidden = successful;
  note.replaceChildren();
  if (successful) return; // the first time in words costs a slow computer 50 ms
  const said = document.createElement("span");
  const time = readAt.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  said.textContent = `Showing what was read at ${time}.`;
  note.append(said);
  if (!find("#alerts a")) note.append(tryAgain(pathInfo.finalRequestPath, "button small"));
}

document.addEventListener("htmx:responseError", (event) => showFailure(event));
document.addEventListener("htmx:sendError", (event) => showFailure(event, UNREACHABLE));
document.addEventListener("htmx:timeout", (event) => showFailure(event, TOO_SLOW));
document.addEventListener("htmx:configRequest", (event) => {
  const token = find("[name=csrfmiddlewaretoken]");
  if (token && event.detail.verb !== "get") event.detail.headers["X-CSRFToken"] = token.value;
});
// A response with HX-Retarget is shown there whatever its status.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.getResponseHeader("HX-Retarget")) event.detail.shouldSwap = true;
});
// What is replaced waits no longer for the values that it asked for. Giving them up is no error, which htmx would log.
const requests = new WeakMap(); // the last one of each element
document.addEventListener("htmx:beforeSend", ({ detail }) => requests.set(detail.elt, detail.xhr));
function giveUp(part) {
  const request = requests.get(part);
  if (!request || request.readyState === XMLHttpRequest.DONE) return;
  request.onabort = null;
  request.abort();
}
document.addEventListener("htmx:beforeSwap", (event) => {
  if (!event.detail.shouldSwap) return;
  for (const part of event.detail.target.querySelectorAll("[hx-trigger=load]")) giveUp(part);
});
// Before the sign-in may end, and after a 401. Forms have form.js already.
const session = find("meta[name=session-script]");
const checkSession = async () => (await import(session.content)).checkSession();
if (session) document.addEventListener("sign-in-required", checkSession);
// The fields of a list's filters are its as well; they stand in a panel that is closed at first.
if (session && find("[data-results]") && find("record-picker, [data-day]")) whenIdle(() => import(session.content));
if (session?.dataset.sessionSeconds) setTimeout(checkSession, (session.dataset.sessionSeconds - 120) * 1000);
// Reminders of tasks, once a page was open for a moment.
const due = find("meta[data-due]");
if (due) setTimeout(() => import(due.dataset.due), 8_000);
// Fired by the server (HX-Trigger: {"announce": "25 of 431 contacts"}) and by other modules.
document.addEventListener("announce", (event) => announce(event.detail.value));
document.addEventListener("alert", ({ detail }) => showAlert(detail.value, detail.url));
// --- The focus after a swap: on the control that was pressed, which was replaced, else on what was swapped ---

let pressed; // of the request under way

const placeOf = (control) => `${control.closest("table, ul, nav, form")?.className} ${control.textContent.trim()}`;

document.addEventListener("htmx:beforeSwap", (event) => {
  const control = document.activeElement;
  pressed = event.detail.target.contains(control) ? placeOf(control) : undefined;
});

// htmx fires two events for each element that it removes, most of the time of a swap. Rows need none.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.shouldSwap && detail.target.matches("[data-results]")) find("tbody", detail.target)?.remove();
});

// Enter in a filter applies it and goes on to the first row.
let goesToRows = false;
document.addEventListener("submit", (event) => {
  goesToRows = event.target.id === "filters" && document.activeElement.matches("input");
});

function keepFocus(swapped) {
  const isSearched = goesToRows && swapped.matches("[data-results]");
  const row = isSearched && find("tbody th a", swapped);
  goesToRows = false;
  if (row) {
    row.focus();
    return;
  }
  if (document.activeElement !== document.body || (pressed === undefined && !isSearched)) return;
  const same = [...swapped.querySelectorAll("a[href], button")].find((control) => placeOf(control) === pressed);
  if (!same) swapped.tabIndex = -1;
  (same ?? swapped).focus({ preventScroll: true });
}

document.addEventListener("htmx:afterSettle", (event) => {
  find("[autofocus]", event.detail.elt)?.focus();
  keepFocus(event.detail.elt);
  const message = find("[data-announce]", event.detail.elt)?.textContent;
  if (message) announce(message);
});

// --- Submit buttons: one submission, and "Saving…" at once ---

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || form.matches("[data-theme-form]")) return;
  if (form.hasAttribute("data-sent")) {
    event.preventDefault();
    return;
  }
  const button = event.submitter ?? find("[type=submit]", form);
  form.setAttribute("data-sent", "");
  if (!button) return;
  button.setAttribute("aria-disabled", "true"); // not disabled: its name and value must be sent
  if (button.dataset.saving) {
    button.dataset.label = button.innerHTML; // with its keys
    button.textContent = button.dataset.saving;
    announce(button.dataset.saving);
  }
});

function enableSubmit(root) {
  for (const form of [root, ...root.querySelectorAll("[data-sent]")]) form.removeAttribute?.("data-sent");
  for (const button of root.querySelectorAll("[aria-disabled=true][type=submit]")) {
    button.removeAttribute("aria-disabled");
    if (button.dataset.label) button.innerHTML = button.dataset.label;
  }
}
document.addEventListener("not-sent", (event) => enableSubmit(event.target)); // form.js
// The browser's back button may show this page with its buttons still disabled.
addEventListener("pageshow", (event) => event.persisted && enableSubmit(document));
document.addEventListener("htmx:afterRequest", (event) => enableSubmit(event.detail.elt.closest("form") ?? document.body));

// --- Theme: light, dark, or the system's ---

const YEAR = 31536000; // seconds

// An empty theme deletes the cookie, so that the page follows the system.
export function themeCookie(name, theme, { secure }) {
  return `${name}=${theme}; path=/; max-age=${theme ? YEAR : 0}; samesite=lax${secure ? "; secure" : ""}`;
}

document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (!event.target.matches("[data-theme-form]") || button?.name !== "theme") return;
  event.preventDefault();
  document.cookie = themeCookie(event.target.dataset.themeForm, button.value, { secure: location.protocol === "https:" });
  if (button.value) document.documentElement.dataset.theme = button.value;
  else delete document.documentElement.dataset.theme;
  find("meta[name=color-scheme]").content = button.value || "light dark";
  for (const other of event.target.querySelectorAll("[name=theme]")) {
    other.setAttribute("aria-pressed", String(other === button));
  }
});

// --- The way back to a list: its filters and page, and the row that was opened ---

const storage = (() => {
  try {
    return sessionStorage;
  } catch {
    return null; // the browser may forbid storage
  }
})();
if (find("[data-forget]")) storage?.clear(); // the session is over

// htmx keeps the address there, with what was searched for; without it, it takes that of the page.
const forgetAddress = () => storage?.removeItem("htmx-current-path-for-history");
forgetAddress();
for (const moved of ["htmx:pushedIntoHistory", "htmx:replacedInHistory"]) document.addEventListener(moved, forgetAddress);

document.addEventListener("click", (event) => {
  const row = event.target.closest?.("[data-results] tbody th a");
  if (!row) return;
  const paths = [...document.querySelectorAll("[data-results] tbody th a")].map((link) => link.pathname);
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
  const link = document.createElement("a");
  Object.assign(link, { className: "step", href: path, textContent: key === "[" ? "‹" : "›", title: `${label} (${key})` });
  link.setAttribute("aria-label", label);
  Object.assign(link.dataset, { key, keyLabel: label });
  link.addEventListener("click", () => storage?.setItem(`list:${list}`, JSON.stringify(lastVisit(list).with(1, path))));
  return link;
}

function addSteps(crumb, list, [, , paths, first, total]) {
  const [before, after] = neighbours(paths, location.pathname);
  const steps = document.createElement("span");
  steps.className = "steps-in";
  const place = paths.indexOf(location.pathname) + 1;
  if (place && total) steps.append(`${(Number(first ?? 0) + place).toLocaleString("en")} of ${total}`);
  if (before) steps.append(stepLink(before, "[", "Previous in the list", list));
  if (after) steps.append(stepLink(after, "]", "Next in the list", list));
  crumb.append(steps);
}

function linkBack() {
  for (const link of document.querySelectorAll("[data-list-link]")) {
    const last = lastVisit(link.pathname);
    if (last) link.search = last[0];
    if (last?.[2]) addSteps(link.parentElement, link.pathname, last);
  }
  for (const field of document.querySelectorAll("[data-list-back]")) field.value += lastVisit(field.value)?.[0] ?? "";
}
linkBack();
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

const rowLinks = () => [...document.querySelectorAll(":is([data-results], [data-rows]) tbody th a")];
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

// A cell that is cut for want of room shows all of its text under the mouse.
document.addEventListener("mouseover", ({ target }) => {
  const part = target.closest?.(".one, .cut, .table .name");
  if (part && (part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight + 3)) part.title = part.textContent.trim();
});

// --- Keyboard shortcuts ---
//
// Typing the keys of data-key="g c" (or of a single key, "e") clicks or focuses that element.
// Single-letter keys do nothing in a field, and can be switched off (WCAG 2.1.4).

const STORAGE_KEY = "single-keys-off";
const SEQUENCE_TIMEOUT = 1200; // ms between the two keys of a sequence
const DIALOG_URL = `${document.documentElement.dataset.root}help/keys/`;
let pending = "";
let timer;

// --- What a key stands for ---

// Compares the keys typed so far with the shortcuts of the page ("e", "g c"):
// "exact", "prefix" if more keys must follow, or "none".
export function matchShortcut(keys, shortcuts) {
  if (shortcuts.includes(keys)) return "exact";
  return shortcuts.some((shortcut) => shortcut.startsWith(`${keys} `)) ? "prefix" : "none";
}

// The index of the row below (j, arrow down) or above (k, arrow up) the current one, wrapping around; current is -1 if no
// row has the focus.
export function nextRow(key, current, count) {
  if (key === "j" || key === "ArrowDown") return (current + 1) % count;
  return current > 0 ? current - 1 : count - 1;
}

// The shortcuts of the page in the groups of the dialog, as [title, [[keys, label], ...]], without the empty ones.
export function groupShortcuts(fixed, shortcutsOfPage) {
  const listed = fixed.flatMap(([, shortcuts]) => shortcuts.map(([keys]) => keys));
  const firstOf = (keys) => shortcutsOfPage.findIndex(([other]) => other === keys);
  const page = shortcutsOfPage.filter(([keys], at) => !listed.includes(keys) && at === firstOf(keys));
  const starting = (first) => page.filter(([keys]) => keys.startsWith(`${first} `));
  const others = page.filter(([keys]) => !/^[gc] /.test(keys));
  const groups = [...fixed, ["On this page", others], ["Go to", starting("g")], ["Create", starting("c")]];
  return groups.filter(([, shortcuts]) => shortcuts.length);
}

// Ctrl+S and Ctrl+Enter save the form, Ctrl+Shift+Enter saves it and opens an empty one: "save", "save-new" or null.
export function saveCommand({ key, shiftKey }) {
  if (key === "Enter") return shiftKey ? "save-new" : "save";
  return key.toLowerCase() === "s" ? "save" : null;
}

// --- Key presses ---

function singleKeysOff() {
  try {
    return localStorage.getItem(STORAGE_KEY) === "1";
  } catch {
    return false; // the browser may forbid storage
  }
}

const isField = (target) =>
  target instanceof Element && target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");

const isSingleKey = (event) => !event.altKey && event.key.length === 1;

const elementsWithKey = () =>
  [...document.querySelectorAll("[data-key]")].filter((element) => !element.closest("dialog:not([open])"));

// What stands in a closed panel opens it. The key of a panel itself goes on to its first field.
function activate(element) {
  const panel = element.closest("details[data-panel]");
  if (panel) panel.open = true;
  const field = element.matches("summary") ? panel.querySelector("select, input") : element;
  if (field.matches("input, select, textarea")) field.focus();
  else field.click();
  if (field.type === "search") field.select(); // what is typed replaces the last search
}

function clearPending() {
  pending = "";
  clearTimeout(timer);
}

// Performs what the keys stand for, or waits for the next key of a sequence. Returns false if they mean nothing here.
function perform(key) {
  const keys = pending ? `${pending} ${key}` : key;
  clearPending();
  if (keys === "?") showKeys();
  else if (keys === "/") find("[data-find]")?.click();
  else if (!performOnRows(keys)) return performShortcut(keys);
  return true;
}

function performShortcut(keys) {
  const elements = elementsWithKey();
  const match = matchShortcut(keys, elements.map((element) => element.dataset.key));
  if (match === "exact") activate(elements.find((element) => element.dataset.key === keys));
  if (match === "prefix") {
    pending = keys;
    timer = setTimeout(clearPending, SEQUENCE_TIMEOUT);
  }
  return match !== "none";
}

// The arrows move between rows as j and k do, where they would scroll otherwise: on a row, or with the focus nowhere.
function moveByArrow(event) {
  const rows = rowLinks();
  const current = rows.indexOf(document.activeElement);
  if (!rows.length || (current < 0 && !document.activeElement.matches("body, main"))) return;
  event.preventDefault();
  rows[nextRow(event.key, current, rows.length)].focus();
}

// Asks for the deletion of a row's record. The page opens again, with its toast and the focus on the row in its place.
function deleteRow(link) {
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: `${link.pathname}delete/`, hidden: true });
  form.innerHTML = '<input name="now" value="1"><input name="back">';
  form.elements.back.value = location.pathname + location.search;
  form.append(find("[name=csrfmiddlewaretoken]").cloneNode());
  link.parentElement.append(form);
  form.requestSubmit();
}

// In a list j and k move the focus, e edits the focused row, # deletes it unless rows are chosen; a row's own keys are in
// data-row-key. Returns true if the key did something.
function performOnRows(key) {
  const rows = rowLinks();
  const current = rows.indexOf(document.activeElement);
  const own = current >= 0 && rows[current].closest("tr").querySelector(`[data-row-key="${CSS.escape(key)}"]`);
  if (own) own.click();
  else if (key === "e" && current >= 0) location.assign(`${rows[current].pathname}edit/`);
  else if (key === "#" && rows[current]?.closest("[data-deletes]") && !rowBoxes().some((box) => box.checked)) deleteRow(rows[current]);
  else if (rows.length && (key === "j" || key === "k")) rows[nextRow(key, current, rows.length)].focus();
  else return false;
  return true;
}

// Ctrl+Z undoes the last act where z does; in a field it undoes what was typed.
function performCommand(event) {
  if (event.key !== "z" || isField(event.target)) saveForm(event);
  else if (performShortcut("z")) event.preventDefault();
}

function saveForm(event) {
  const command = saveCommand(event);
  if (!command) return;
  const form = event.target.closest?.("form[data-save-form]") ?? find("form[data-save-form]");
  if (!form) return;
  event.preventDefault();
  const saveNew = command === "save-new" && form.querySelector("[data-save-new]");
  form.requestSubmit(saveNew || form.querySelector(".savebar [type=submit]") || form.querySelector("[type=submit]"));
}

const isPlainArrow = ({ key, altKey, shiftKey }) => (key === "ArrowDown" || key === "ArrowUp") && !altKey && !shiftKey;

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  if (event.ctrlKey || event.metaKey) performCommand(event);
  else if (isField(event.target)) return; // asked first: what is typed waits for nothing else
  else if (find("dialog[open]")) return;
  else if (isPlainArrow(event)) moveByArrow(event);
  else if (isSingleKey(event) && !singleKeysOff() && perform(event.key)) event.preventDefault();
});

// --- A key that leads to a page: the keys behind it are not lost ---

// A field for what is typed until the next page is there. Tab leads on to a field of that page, Escape stays here.
globalThis.holdKeys = () => {
  const before = document.activeElement;
  const held = document.createElement("textarea");
  held.className = "unseen";
  held.setAttribute("aria-label", "Opening the page. What you type goes into it.");
  held.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Tab") held.setRangeText("\t", held.selectionStart, held.selectionEnd, "end");
    if (event.key === "Tab" || event.key === "Enter") event.preventDefault();
    if (event.key !== "Escape") return;
    held.remove();
    before.focus();
  });
  (find("dialog[open]") ?? document.body).append(held);
  held.focus();
  return held;
};

// The next page takes the keys, not the one at hand.
function holdForNextPage() {
  const held = globalThis.holdKeys();
  addEventListener("pagehide", () => held.isConnected && storage?.setItem("typed", held.value));
}

// What was typed on the page before goes into the field that has the focus; else each key does what it does here.
function typeHeld() {
  const typed = storage?.getItem("typed") ?? "";
  storage?.removeItem("typed");
  if (document.activeElement === document.body) find("[autofocus]")?.focus(); // the browser does late
  for (const key of typed) {
    const field = document.activeElement;
    if (field.matches("input, textarea")) {
      field.value += key;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    } else if (!singleKeysOff()) perform(key);
  }
}

const isByKey = (event) => !(event.detail || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey);

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!isByKey(event) || !session || link?.host !== location.host) return;
  if (!/\/(new|convert)\/$/.test(link.pathname)) {
    if (link.matches("[data-key^='g '], [data-key=u], [role=option], tbody th a")) holdForNextPage();
    return;
  }
  event.preventDefault();
  const held = globalThis.holdKeys();
  import(find("meta[name=page-script]").content).then(
    ({ openPage }) => openPage(link.href, held),
    () => location.assign(link.href),
  );
});

let shownPage; // the page in this document where change_page.js has put one

function noteShownPage() {
  shownPage = history.state?.page;
}

addEventListener("pageshow", noteShownPage);
document.addEventListener("page-changed", noteShownPage);
addEventListener("popstate", ({ state }) => state?.page && state.page !== shownPage && location.reload());

// --- The dialog that lists the keys ---

function describe(keys, label) {
  const row = document.createElement("div");
  const term = Object.assign(document.createElement("dt"), { textContent: label });
  const description = document.createElement("dd");
  for (const key of keys.split(" ")) description.append(Object.assign(document.createElement("kbd"), { textContent: key }));
  row.append(term, description);
  return row;
}

const labelOf = (element) => element.dataset.keyLabel || element.ariaLabel || element.title || element.textContent.trim();

function describeGroup([title, shortcuts]) {
  const section = document.createElement("section");
  const heading = Object.assign(document.createElement("h3"), { textContent: title });
  const list = document.createElement("dl");
  list.append(...shortcuts.map(([keys, label]) => describe(keys, label)));
  section.append(heading, list);
  return section;
}

const findDialog = () => find("#keys");
let loading; // the request for the dialog

// It comes with the first press. showFailure tells of a request that failed.
async function loadDialog() {
  loading ??= window.htmx.ajax("GET", DIALOG_URL, { target: "body", swap: "beforeend" }).catch(() => {});
  await loading;
  loading = undefined;
}

async function showKeys() {
  if (!findDialog()) await loadDialog();
  const dialog = findDialog();
  if (!dialog || dialog.open) return;
  const place = dialog.querySelector("[data-keys]");
  const groups = JSON.parse(place.dataset.keys || "[]").filter(([, selector]) => find(selector));
  const fixed = groups.map(([title, , shortcuts]) => [title, shortcuts]);
  const page = elementsWithKey().map((element) => [element.dataset.key, labelOf(element)]);
  place.replaceChildren(...groupShortcuts(fixed, page).map(describeGroup));
  dialog.querySelector("#single-keys").checked = !singleKeysOff();
  dialog.showModal();
}

document.addEventListener("change", ({ target }) => {
  if (target.id !== "single-keys") return;
  try {
    localStorage.setItem(STORAGE_KEY, target.checked ? "0" : "1");
  } catch {
    // without storage the choice lasts for this page only
  }
});

document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-open=keys]")) {
    find("#account")?.hidePopover?.();
    showKeys();
  }
});

// --- Panels that open from a button close on Escape and on a click elsewhere ---

function closePanels(except) {
  for (const panel of document.querySelectorAll("details[data-panel][open]")) if (panel !== except) panel.open = false;
}

document.addEventListener("click", (event) => closePanels(event.target.closest?.("details[data-panel]")));
document.addEventListener("keydown", (event) => {
  const panel = event.key === "Escape" && event.target.closest?.("details[data-panel][open]");
  if (!panel) return;
  closePanels();
  panel.querySelector("summary").focus();
});

// Escape would empty a search field; it only closes what is open.
document.addEventListener("keydown", (event) => {
  const inLayer = event.target.closest?.("dialog, [popover]");
  if (event.key === "Escape" && !inLayer && event.target.matches?.("[type=search]")) event.preventDefault();
});

// --- Which option a key may take from a list ---
//
// The highlighted one if an arrow key has reached it, or if the list has stood unchanged for as long as reading it takes.
// The palette, form.js and lines.js keep one each, which they find in `window`: no script imports another.

export const READING_TIME = 400; // ms

// Calls back with the time of the first frame after the next painting.
const afterPainting = (callback) => requestAnimationFrame(() => requestAnimationFrame(callback));

export class ShownOptions {
  constructor(whenPainted = afterPainting) {
    this.whenPainted = whenPainted;
    this.hide();
  }

  // To be called when the list is drawn. names: its options in order, as one text. A list that is drawn again with the same
  // options has been on the screen all the time.
  show(names) {
    this.isReached = false;
    if (names === this.names) return;
    this.hide();
    this.names = names;
    const drawing = (this.drawing = {});
    this.whenPainted((time) => {
      if (drawing === this.drawing) this.shownAt = time;
    });
  }

  hide() {
    Object.assign(this, { names: null, drawing: null, shownAt: Infinity, isReached: false });
  }

  // To be called when an arrow key has moved the highlight.
  reach() {
    this.isReached = true;
  }

  // Whether the user can have read the highlighted option before a key was pressed. time: event.timeStamp of the key.
  isRead(time) {
    return this.isReached || time - this.shownAt >= READING_TIME;
  }
}

globalThis.ShownOptions = ShownOptions;

// --- The palette ---
//
// A dialog that finds records, pages and commands. Enter opens the chosen hit of the text in the field, Ctrl+Enter saves an
// entry in one line: while the hits are on their way, the key is remembered and carried out when they come.

const PAUSE = 120; // ms after the last key before the service is asked

// The index of the option that an arrow key leads to; -1 stands for none.
export function nextOption(key, current, count) {
  if (!count) return -1;
  if (key === "ArrowDown") return (current + 1) % count;
  if (key === "ArrowUp") return current > 0 ? current - 1 : count - 1;
  return current;
}

// Whether an answer belongs to the text that is in the field.
export const isCurrent = (foundFor, text) => foundFor === text.trim();

// The index of the hit to take without the user having seen the list, or -1: the only one that is called what was typed,
// else the only one.
export function certainHit(titles, text) {
  const isCalled = (title) => title.trim().toLowerCase() === text.trim().toLowerCase();
  const exact = titles.filter(isCalled).length;
  if (exact) return exact === 1 ? titles.findIndex(isCalled) : -1;
  return titles.length === 1 ? 0 : -1;
}

const PALETTE = `<form class="ask" role="search">
<input type="text" name="q" maxlength="400" placeholder="Find or open, + to create" aria-label="Search or jump to" role="combobox"
 aria-expanded="true" aria-controls="palette-hits" aria-autocomplete="list" autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">Esc</kbd></form>
<div class="found"><div class="hits" id="palette-hits" role="listbox" aria-label="Hits"></div>
<section id="preview" aria-label="Preview"></section></div>
<p class="unseen" role="status" data-said></p>
<footer aria-hidden="true"><span><kbd>↑</kbd><kbd>↓</kbd> choose</span><span><kbd>Enter</kbd> open</span><span><kbd>+</kbd> create in
 one line</span><span><kbd>Ctrl</kbd><kbd>Enter</kbd> save the line</span><span><kbd>Esc</kbd> close</span></footer>`;

// The dialog, made of the form in the side: its address is that of the page of the search, which also answers without it.
function makeDialog(search) {
  const root = document.createElement("dialog");
  Object.assign(root, { className: "palette", id: "palette", innerHTML: PALETTE });
  root.setAttribute("aria-label", "Search or jump to");
  const form = root.querySelector("form");
  form.action = search.action;
  form.prepend(search.querySelector("svg").cloneNode(true));
  root.setAttribute("aria-modal", "true");
  document.body.append(makeVeil(root), root);
  return root;
}

// What lies over the page while the palette is open. A click closes it.
function makeVeil(root) {
  const veil = document.createElement("div");
  Object.assign(veil, { className: "veil", hidden: true });
  veil.addEventListener("click", () => root.close());
  return veil;
}

class Palette {
  constructor(root) {
    this.root = root;
    this.veil = root.previousElementSibling;
    this.url = root.querySelector("form").action;
    this.input = root.querySelector("input");
    this.list = root.querySelector("[role=listbox]");
    this.said = root.querySelector("[data-said]");
    this.shown = new ShownOptions();
    this.pressedKey = null; // { what: "open" or "save", time of the key }, while the hits are awaited
    this.found = null; // the text that the hits on show belong to
    this.failed = null; // the text that the search did not answer
    this.chosen = -1;
    this.input.addEventListener("input", () => this.typed());
    root.addEventListener("keydown", (event) => this.pressed(event));
    root.addEventListener("close", () => void (this.veil.hidden = true));
    root.addEventListener("close", () => document.activeElement.matches("body") && this.opener?.focus());
    root.addEventListener("click", (event) => event.target === root && root.close());
    root.addEventListener("htmx:beforeSwap", (event) => this.keepChosen(event));
  }

  open(opener) {
    if (this.root.open) return;
    this.opener = opener;
    this.found = null; // the hits of the last time are asked for anew
    this.show();
    this.input.focus();
    this.input.select(); // what was typed before Escape is still there
    this.ask();
  }

  // Modal only over a dialog that is: an inert page takes a slow computer 100 ms. Instead the veil takes clicks,
  // and pressed() keeps Tab inside.
  show() {
    if (find("dialog:modal")) this.root.showModal();
    else {
      find(":popover-open")?.hidePopover();
      this.veil.hidden = false;
      this.root.show();
    }
  }

  typed() {
    clearTimeout(this.timer);
    this.pressedKey = null;
    this.failed = null;
    this.choose(isCurrent(this.found, this.input.value) ? 0 : -1);
    this.timer = setTimeout(() => this.ask(), PAUSE);
  }

  async ask() {
    clearTimeout(this.timer);
    const text = this.input.value;
    this.asked?.abort();
    const asked = (this.asked = new AbortController());
    this.root.setAttribute("aria-busy", "true");
    try {
      const csrfmiddlewaretoken = find("[name=csrfmiddlewaretoken]")?.value ?? "";
      const body = new URLSearchParams({ q: text.trim(), hits: "1", csrfmiddlewaretoken });
      const answer = await fetch(this.url, { method: "POST", body, signal: asked.signal });
      if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
      const html = await answer.text();
      if (asked === this.asked && isCurrent(text.trim(), this.input.value)) this.showHits(html, text.trim());
    } catch {
      if (asked === this.asked && !asked.signal.aborted) this.fail(text.trim());
    }
  }

  showHits(html, text) {
    this.list.innerHTML = html;
    window.htmx?.process(this.list); // asks for names that are still to come
    if (!this.list.querySelector("[hx-get]")) this.root.querySelector("#preview").replaceChildren();
    this.found = text;
    this.root.removeAttribute("aria-busy");
    const count = this.options.length;
    this.said.textContent = count === 1 ? "1 hit" : `${count} hits`;
    this.choose(count ? 0 : -1);
    this.shown.hide(); // a new list, even if its hits are those of the text before
    this.shown.show(text);
    if (this.pressedKey) this.enter(this.pressedKey);
    this.pressedKey = null;
  }

  fail(text) {
    this.failed = text;
    this.found = null;
    this.root.removeAttribute("aria-busy");
    this.pressedKey = null;
    this.list.replaceChildren();
    const textContent = "The search did not answer. Press Enter to try the page of the search.";
    const line = Object.assign(document.createElement("p"), { className: "wrong", textContent });
    this.list.append(line);
    this.said.textContent = textContent;
  }

  get options() {
    return [...this.list.querySelectorAll("[role=option]")];
  }

  // A preview that comes late brings other hits in the place of those below the first ones.
  keepChosen({ detail }) {
    if (detail.target.id === "preview" && this.options[this.chosen]?.closest("#further")) detail.shouldSwap = false;
  }

  choose(index) {
    this.chosen = index;
    this.options.forEach((option, at) => option.setAttribute("aria-selected", String(at === index)));
    const option = this.options[index];
    option?.dispatchEvent(new Event("look")); // it asks for its preview
    if (!option) {
      this.input.removeAttribute("aria-activedescendant");
      return;
    }
    this.input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  pressed(event) {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      this.shown.reach();
      this.choose(nextOption(event.key, this.chosen, this.options.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.enter({ what: event.ctrlKey || event.metaKey ? "save" : "open", time: event.timeStamp });
    } else if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      if (event.key === "Escape") this.root.close();
    }
  }

  // Opens the chosen hit, or saves it where it can be saved. If the hits of the present text are not there yet, waits
  // for them.
  enter(key) {
    if (isCurrent(this.found, this.input.value)) this.carryOut(key.what, this.optionAt(key.time));
    else if (isCurrent(this.failed, this.input.value)) this.root.querySelector("form").submit();
    else this.pressedKey = key;
  }

  // The hit that a key takes which was pressed at that time; undefined if it could not be read and none is certain.
  optionAt(time) {
    if (this.shown.isRead(time)) return this.options[this.chosen];
    const options = this.options.filter((option) => !option.closest("#further"));
    return options[certainHit(options.map((option) => option.querySelector(".cut").textContent), this.input.value)];
  }

  carryOut(what, option) {
    const form = what === "save" && option && this.list.querySelector(`form[data-saves="${CSS.escape(option.id)}"]`);
    if (form) form.requestSubmit();
    else option?.click();
  }
}

const searchForm = find(".side .find");
let palette; // made when it is first wanted

function openPalette(opener) {
  palette ??= new Palette(makeDialog(searchForm));
  palette.open(opener);
}

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k" && searchForm) {
    event.preventDefault();
    openPalette(document.activeElement);
  }
});

for (const field of document.querySelectorAll("[data-find]")) {
  field.addEventListener("click", (event) => {
    event.preventDefault();
    openPalette(field);
  });
}

// --- Choosing rows of a list ---
//
// x on a row, Shift and a click for a range, all of a page. The checkboxes and their form work without this.

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

// The server adds the amounts of the chosen rows up, in a pause of choosing.
const SUM_PAUSE = 150; // ms
let sumTimer;
let sumAsked; // the AbortController of the request under way

function sumSoon(form, isKnown) {
  clearTimeout(sumTimer);
  sumAsked?.abort();
  form.querySelector("[data-sum]").textContent = "";
  if (isKnown) sumTimer = setTimeout(() => sumChosen(form), SUM_PAUSE);
}

async function sumChosen(form) {
  const place = form.querySelector("[data-sum]");
  sumAsked = new AbortController();
  try {
    const answer = await fetch(place.dataset.sum, { method: "POST", body: new FormData(form), signal: sumAsked.signal });
    if (answer.ok && !answer.redirected) place.textContent = await answer.text();
  } catch {
    // The rows are chosen, without a sum.
  }
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

// --- When the page has loaded ---

function begin() {
  for (const part of document.querySelectorAll("[data-needs-js]")) part.hidden = false;
  for (const part of document.querySelectorAll("[data-needless]")) part.hidden = true;
  for (const note of document.querySelectorAll("#messages .notice, #alerts .notice")) addCloseButton(note);
  // Screen readers announce changes only.
  const notes = [...document.querySelectorAll("#alerts .notice p, #messages .notice p")].map((p) => p.textContent);
  if (notes.length) setTimeout(() => announce(notes.join(" ")), 200);
}
begin();
typeHeld();
document.addEventListener("page-changed", () => {
  linkBack();
  begin();
});
