// Behaviour that every page shares: messages about failed requests, the "Saving…" button, the theme,
// the way back to a list. Every page also works without this module.

const find = (selector, root = document) => root.querySelector(selector);

// --- Live regions -------------------------------------------------------------------

function announce(message) {
  const region = find("#announcer");
  if (region) region.textContent = message;
}

function showAlert(message, retryUrl) {
  const region = find("#alerts");
  if (!region) return;
  const note = document.createElement("div");
  note.className = "notice bad";
  const text = document.createElement("p");
  text.textContent = message;
  if (retryUrl) {
    text.append(" ", tryAgain(retryUrl));
  }
  note.append(text);
  region.replaceChildren(note);
  addCloseButton(note);
}

function tryAgain(url, classes = "") {
  const link = document.createElement("a");
  link.href = url;
  link.className = classes;
  link.textContent = "Try again";
  return link;
}

// The button works with JavaScript only, so the server does not render it.
function addCloseButton(note) {
  if (find(".close", note)) return;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "close";
  close.setAttribute("aria-label", "Dismiss");
  close.textContent = "×";
  close.addEventListener("click", () => {
    note.remove();
    find("#main")?.focus();
  });
  note.append(close);
}

// --- Failed htmx requests ------------------------------------------------------------------------

const UNREACHABLE = "The dashboard could not be reached. Check your connection.";
const TOO_SLOW = "The dashboard took too long to answer.";
const MESSAGES = {
  0: UNREACHABLE,
  401: "You have been signed out. Sign in, then try once more.",
  403: "You are not allowed to do this, or this page is too old. Reload it and try again.",
  404: "This does not exist any more.",
  413: "That is too much at once.",
  429: "Too many requests at once. Wait a moment.",
};

// The message for a request that was answered with this HTTP status (0: no answer).
export function failureMessage(status, { reading }) {
  const otherwise = reading
    ? "This could not be loaded: the dashboard answered with an error."
    : "The dashboard answered with an error, so it is not certain that this was saved. Look before you repeat it.";
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

// The part of the page that each request was to replace: a response may be shown elsewhere (HX-Retarget).
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

// --- What a list shows while the service cannot be reached ---------------------------------------------------

let readAt = new Date();

// "Showing what was read at 09:42." after a failed request; a success takes the alert away.
function noteResults({ successful, pathInfo }) {
  const note = find("[data-stale]");
  if (successful) {
    readAt = new Date();
    find("#alerts")?.replaceChildren();
  }
  if (!note) return;
  const time = readAt.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const said = document.createElement("span");
  said.textContent = successful ? "" : `Showing what was read at ${time}.`;
  note.replaceChildren(said);
  note.hidden = successful;
  if (!successful && !find("#alerts a")) note.append(tryAgain(pathInfo.finalRequestPath, "button small"));
}

document.addEventListener("htmx:responseError", (event) => showFailure(event));
document.addEventListener("htmx:sendError", (event) => showFailure(event, UNREACHABLE));
document.addEventListener("htmx:timeout", (event) => showFailure(event, TOO_SLOW));
document.addEventListener("htmx:configRequest", (event) => {
  const token = find("[name=csrfmiddlewaretoken]");
  if (token && event.detail.verb !== "get") event.detail.headers["X-CSRFToken"] = token.value;
});
// A response with an HX-Retarget header is shown at that target whatever its status.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.getResponseHeader("HX-Retarget")) event.detail.shouldSwap = true;
});
// What is replaced no longer waits for the values that it asked for when it was shown. Giving them up is no error, which
// htmx would log.
const requests = new WeakMap(); // the last one of each element
document.addEventListener("htmx:beforeSend", ({ detail }) => requests.set(detail.elt, detail.xhr));
function giveUp(part) {
  const request = requests.get(part);
  if (!request) return;
  request.onabort = null;
  request.abort();
}
document.addEventListener("htmx:beforeSwap", (event) => {
  if (!event.detail.shouldSwap) return;
  for (const part of event.detail.target.querySelectorAll("[hx-trigger=load]")) giveUp(part);
});
// Before the sign-in may end, and when a request was answered with 401. Forms have loaded session.js already.
const session = find("meta[name=session-script]");
const checkSession = async () => (await import(session.content)).checkSession();
if (session) document.addEventListener("sign-in-required", checkSession);
if (session?.dataset.sessionSeconds) setTimeout(checkSession, (session.dataset.sessionSeconds - 120) * 1000);
// Fired by the server (HX-Trigger: {"announce": "25 of 431 contacts"}) and by other modules.
document.addEventListener("announce", (event) => announce(event.detail.value));
// --- The focus after a swap: on the control that was pressed, which was replaced, else on what was swapped --------------

let pressed; // of the request under way

const placeOf = (control) => `${control.closest("table, ul, nav, form")?.className} ${control.textContent.trim()}`;

document.addEventListener("htmx:beforeSwap", (event) => {
  const control = document.activeElement;
  pressed = event.detail.target.contains(control) ? placeOf(control) : undefined;
});

// Enter in a filter applies it and goes on to the first row.
let goesToRows = false;
document.addEventListener("submit", (event) => {
  goesToRows = event.target.id === "filters" && document.activeElement.matches("input");
});

function keepFocus(swapped) {
  const row = goesToRows && swapped.matches("[data-results]") && find("tbody th a", swapped);
  goesToRows = false;
  if (row) {
    row.focus();
    return;
  }
  if (document.activeElement !== document.body || pressed === undefined) return;
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

// --- Submit buttons: one submission, and "Saving…" at once ---------------------------------------------------------

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
// The browser's back button may show this page with its buttons still disabled.
addEventListener("pageshow", (event) => event.persisted && enableSubmit(document));
document.addEventListener("htmx:afterRequest", (event) => enableSubmit(event.detail.elt.closest("form") ?? document.body));

// --- Theme: light, dark, or the system's ------------------------------------------------------------------------------

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

// --- The way back to a list: its filters and page, and the row that was opened --------------------

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
  const search = find("[data-way-back]")?.dataset.wayBack ?? location.search; // encrypted where a name may stand in it
  storage?.setItem(`list:${location.pathname}`, JSON.stringify([search, row.pathname, paths]));
});

// [query string, path of the opened record, paths of all its rows] of the list as it was last left, or null.
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
  link.addEventListener("click", () => {
    const [search, , paths] = lastVisit(list);
    storage?.setItem(`list:${list}`, JSON.stringify([search, path, paths]));
  });
  return link;
}

function addSteps(crumb, list, paths) {
  const [before, after] = neighbours(paths, location.pathname);
  const steps = document.createElement("span");
  steps.className = "steps-in";
  if (before) steps.append(stepLink(before, "[", "Previous in the list", list));
  if (after) steps.append(stepLink(after, "]", "Next in the list", list));
  crumb.append(steps);
}

for (const link of document.querySelectorAll("[data-list-link]")) {
  const last = lastVisit(link.pathname);
  if (last) link.search = last[0];
  if (last?.[2]) addSteps(link.parentElement, link.pathname, last[2]);
}
for (const field of document.querySelectorAll("[data-list-back]")) field.value += lastVisit(field.value)?.[0] ?? "";
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

// --- A view of the list was chosen, or saved: on to its first row, as after a filter ------------------------

// True for a list that was opened from itself, or from the pages that save its views.
export function isSameList(referrer, path) {
  return referrer !== "" && (new URL(referrer).pathname === path || isBelow(referrer, `${path}views/`));
}

if (howOpened === "navigate" && find("[data-results]") && isSameList(document.referrer, location.pathname)) {
  (find("[data-results] tbody th a") ?? find("#views [aria-current]"))?.focus();
}

// --- A form opens its page again: the focus goes to its button, or to the row that has the place of its row -----

const rowLinks = () => [...document.querySelectorAll("table[data-rows] tbody th a")];
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
  const row = find("th a", target.closest("table[data-rows] tbody tr") ?? target);
  storage?.setItem("acted", JSON.stringify([location.pathname, rowLinks().indexOf(row), target.getAttribute("action") ?? ""]));
});

// A cell that is cut for want of room shows all of its text under the mouse.
document.addEventListener("mouseover", ({ target }) => {
  const part = target.closest?.(".one, .cut, .table .name");
  if (part && (part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight + 3)) part.title = part.textContent.trim();
});

// --- When the page has loaded ----------------------------------------------------------------------

for (const part of document.querySelectorAll("[data-needs-js]")) part.hidden = false;
for (const part of document.querySelectorAll("[data-needless]")) part.hidden = true; // a script does what it does
for (const note of document.querySelectorAll("#messages .notice, #alerts .notice")) addCloseButton(note);
// Screen readers announce changes of a live region only, not what the page was loaded with.
const notes = [...document.querySelectorAll("#alerts .notice p, #messages .notice p")].map((p) => p.textContent);
if (notes.length) setTimeout(() => announce(notes.join(" ")), 200);
