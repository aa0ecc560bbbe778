// Stores a draft of a record form: three seconds after the last change, and when the user leaves the page. A draft is
// never sent to the external API. Also shows which other users have the same record open.

const SITE = document.documentElement.dataset.root; // the address of the start page; the site may stand below a path
const STORE_URL = `${SITE}unfinished/keep/`;
const PRESENCE_URL = `${SITE}unfinished/open/`;
const PAUSE = 3_000; // ms
const RETRY_DELAYS = [5_000, 15_000, 30_000, 60_000]; // ms, the last one repeats
const NOT_STORED = new Set(["csrfmiddlewaretoken", "token", "draft"]); // these differ with every form
const NOT_STORED_MESSAGES = {
  400: "",
  409: "Not kept: too many forms are unfinished.",
  413: "This is too long to be kept as a draft. Save it soon.",
};
const UNREACHABLE = "What you type cannot be kept just now. It is tried again by itself.";

const mark = document.querySelector("[data-draft]");
const form = mark?.form;
const line = document.querySelector("[data-draft-line]");
const alarm = document.querySelector("[data-draft-alert]");
let stored; // the form data that the server has, or that the form was loaded with
let sentOnLeaving; // the form data of the last beacon
let timer;
let request; // the AbortController of the request that is under way
let failures = 0; // since the last response
let submitted = false;

// --- Form data and messages --------------------------------------------------------------------------

// The [name, value] pairs of a form as a query string, without files and the fields that a draft leaves out.
export function encodeFields(pairs) {
  const kept = [...pairs].filter(([name, value]) => !NOT_STORED.has(name) && typeof value === "string");
  return new URLSearchParams(kept).toString();
}

// ms until the next attempt after this many failed ones in a row.
export function retryDelay(failedBefore) {
  return RETRY_DELAYS[Math.min(failedBefore, RETRY_DELAYS.length - 1)];
}

// What the draft line shows after a response, and whether it is a problem to be announced as an alert.
export function storedMessage(status, time) {
  const problem = NOT_STORED_MESSAGES[status];
  return { message: problem ?? `Kept as unfinished, ${time}`, isProblem: Boolean(problem) };
}

function currentFields() {
  return encodeFields(new FormData(form));
}

function requestBody(fields) {
  return new Blob([`${fields}&draft=${encodeURIComponent(mark.value)}`], { type: "application/x-www-form-urlencoded" });
}

function showMessage({ message, isProblem }) {
  if (line) line.textContent = message;
  const alert = isProblem ? message : "";
  if (alarm && alarm.textContent !== alert) alarm.textContent = alert; // the same alert is not announced again
}

// --- Storing -----------------------------------------------------------------------------------------

function storeAfter(delay) {
  clearTimeout(timer);
  timer = setTimeout(store, delay);
}

async function store() {
  if (stored === undefined || submitted || request) return;
  const fields = currentFields();
  if (fields === stored) return;
  request = new AbortController();
  try {
    const response = await fetch(STORE_URL, { method: "POST", body: requestBody(fields), signal: request.signal });
    handleResponse(response.status, await response.json(), fields);
  } catch {
    if (!submitted) handleFailure();
  }
  request = undefined;
  if (!failures && stored !== currentFields()) storeAfter(PAUSE); // the form changed during the request
}

function handleResponse(status, answer, fields) {
  failures = 0;
  if (status === 410) {
    mark.value = answer.draft; // the record of the old draft was saved; further changes belong to a new draft
  } else if (status === 401) {
    stored = fields;
    document.dispatchEvent(new CustomEvent("sign-in-required"));
  } else if (status >= 500) {
    handleFailure();
  } else {
    stored = fields;
    showMessage(storedMessage(status, clock()));
  }
}

function clock() {
  return new Date().toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

function handleFailure() {
  showMessage({ message: UNREACHABLE, isProblem: true });
  storeAfter(retryDelay(failures));
  failures += 1;
}

function storeOnLeaving() {
  if (stored === undefined || submitted) return;
  const fields = currentFields();
  if (fields === stored || fields === sentOnLeaving) return;
  if (navigator.sendBeacon(STORE_URL, requestBody(fields))) sentOnLeaving = fields;
}

// Called before the first change: what the form was loaded with needs no draft.
function rememberLoaded() {
  stored ??= currentFields();
}

function handleChange() {
  rememberLoaded();
  if (!failures) storeAfter(PAUSE);
}

if (form) {
  for (const type of ["focusin", "pointerdown", "keydown"]) form.addEventListener(type, rememberLoaded, { capture: true });
  for (const type of ["input", "change", "click", "keyup"]) form.addEventListener(type, handleChange);
  document.addEventListener("htmx:afterSettle", (event) => form.contains(event.detail.elt) && handleChange());
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && storeOnLeaving());
  addEventListener("pagehide", storeOnLeaving);
  addEventListener("pageshow", () => {
    submitted = false;
  });
  document.addEventListener("signed-in", () => storeAfter(0));
  document.addEventListener("submit", (event) => {
    if (event.target !== form || event.defaultPrevented) return;
    submitted = true; // the server stores what the form submits
    clearTimeout(timer);
    request?.abort();
  });
  if (mark.dataset.room) setInterval(reportPresence, Number(mark.dataset.beat) * 1000);
}

// --- Focus after an offered draft was discarded --------------------------------------------------------

document.addEventListener("htmx:beforeSwap", (event) => {
  if (!event.detail.shouldSwap || !event.detail.target.matches?.(".draft-offer")) return;
  const first = form?.querySelector("[autofocus]") ?? form?.querySelector("input:not([type=hidden]), select, textarea");
  first?.focus(); // the swap removes the pressed button
});

// --- Other users with the same record open ---------------------------------------------------------------

async function reportPresence() {
  if (document.visibilityState !== "visible") return;
  const token = form.elements.csrfmiddlewaretoken.value;
  const body = new URLSearchParams({ room: mark.dataset.room });
  try {
    const headers = { "X-CSRFToken": token, "HX-Request": "true", "X-Background": "1" };
    const response = await fetch(PRESENCE_URL, { method: "POST", body, headers });
    if (response.status === 401) document.dispatchEvent(new CustomEvent("sign-in-required"));
    if (response.ok) showOthers((await response.json()).others);
  } catch {
    // the next report follows by itself, and the form works without it
  }
}

function showOthers(message) {
  const note = document.querySelector("[data-others]");
  if (!note) return;
  const paragraph = note.querySelector("p");
  if (paragraph.textContent.trim() !== message) paragraph.textContent = message;
  note.hidden = !message;
}
