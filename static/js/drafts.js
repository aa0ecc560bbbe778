// A draft is stored three seconds after the last change, with a press of Save, and when the user leaves the page. It is
// never sent to the external API. Also shows which other users have the same record open.

import { sendForm } from "change_page";
import { showAlert } from "live_regions";
import { clock, csrfToken, find, onPage, SITE } from "page";

const STORE_URL = `${SITE}unfinished/keep/`;
const PRESENCE_URL = `${SITE}unfinished/open/`;
const STORE_AFTER = 3_000; // ms
const STORE_AGAIN_AFTER = [5_000, 15_000, 30_000, 60_000]; // ms, the last one repeats
const NOT_STORED = new Set(["csrfmiddlewaretoken", "token", "draft"]); // these differ with every form
const NOT_STORED_MESSAGES = {
  400: "",
  409: "Not saved: you have too many unfinished forms.",
  413: "This form is too long to keep. Save it soon.",
};
const NOT_KEPT = "We can't save your typing right now. We'll keep trying.";

let form;
let mark; // the field that carries the draft of the form
let line;
let alarm;
let stored; // the form data that the server has, or that the form was loaded with
let sentOnLeaving; // the form data of the last beacon
let storeTimer;
let storing; // the AbortController of the request that is under way
let failures = 0; // since the last response
let submitted = false;
let presence; // the timer of reportPresence

// --- Form data and messages ---

// The [name, value] pairs of a form as a query string, without files and the fields that a draft leaves out.
export function encodeFields(pairs) {
  const kept = [...pairs].filter(([name, value]) => !NOT_STORED.has(name) && typeof value === "string");
  return new URLSearchParams(kept).toString();
}

// ms until the next attempt after this many failed ones in a row.
export function retryDelay(failedBefore) {
  return STORE_AGAIN_AFTER[Math.min(failedBefore, STORE_AGAIN_AFTER.length - 1)];
}

// What the draft line shows after a response, and whether it is a problem to be announced as an alert. Nothing is kept
// of a form that is empty again.
export function storedMessage(status, time, kept = true) {
  const problem = NOT_STORED_MESSAGES[status];
  return { message: problem ?? (kept ? `Kept as unfinished, ${time}` : ""), isProblem: Boolean(problem) };
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

// --- Storing ---

function storeAfter(delay) {
  clearTimeout(storeTimer);
  storeTimer = setTimeout(store, delay);
}

async function store() {
  if (stored === undefined || submitted || storing) return;
  const fields = currentFields();
  if (fields === stored) return;
  const mine = (storing = new AbortController());
  try {
    const response = await fetch(STORE_URL, { method: "POST", body: requestBody(fields), signal: mine.signal });
    handleResponse(response.status, await response.json(), fields);
  } catch {
    if (!mine.signal.aborted) handleFailure();
  }
  if (mine !== storing) return;
  storing = undefined;
  if (!failures && stored !== currentFields()) storeAfter(STORE_AFTER); // the form changed during the request
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
    showMessage(storedMessage(status, clock(Date.now()), answer.kept));
  }
}

function handleFailure() {
  showMessage({ message: NOT_KEPT, isProblem: true });
  storeAfter(retryDelay(failures));
  failures += 1;
}

function storeOnLeaving() {
  if (stored === undefined || submitted) return;
  const fields = currentFields();
  if (fields === stored || fields === sentOnLeaving) return;
  if (navigator.sendBeacon(STORE_URL, requestBody(fields))) sentOnLeaving = fields;
}

// Called before the first change: what the form was loaded with needs no draft. Not when the browser sets the focus as it
// loads the page, but at the end of that: the script of the lines may not have run yet, which leaves out fields of lines that
// are opened.
function rememberLoaded({ type } = {}) {
  if (type === "focusin" && document.readyState !== "complete") return;
  stored ??= currentFields();
}

function handleChange() {
  rememberLoaded();
  if (!failures) storeAfter(STORE_AFTER);
}

function begin() {
  clearTimeout(storeTimer);
  clearInterval(presence);
  stopStoring();
  mark = find("[data-draft]");
  form = mark?.form;
  line = find("[data-draft-line]");
  alarm = find("[data-draft-alert]");
  stored = sentOnLeaving = undefined;
  failures = 0;
  submitted = false;
  if (!form) return;
  if (document.readyState !== "complete") addEventListener("load", () => rememberLoaded(), { once: true });
  for (const type of ["focusin", "pointerdown", "keydown"]) form.addEventListener(type, rememberLoaded, { capture: true });
  for (const type of ["input", "change", "click", "keyup"]) form.addEventListener(type, handleChange);
  if (mark.dataset.room) presence = setInterval(reportPresence, Number(mark.dataset.beat) * 1000);
}

function stopStoring() {
  storing?.abort();
  storing = undefined;
}

// Fields that are drawn once they are opened are no change by themselves, though some have more controls than before.
let isUnchanged;
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  isUnchanged = detail.target.matches("[data-draw]") && stored !== undefined && stored === currentFields();
});
document.addEventListener("htmx:afterSwap", () => {
  if (isUnchanged) stored = currentFields();
  isUnchanged = false;
});
document.addEventListener("htmx:afterSettle", (event) => form?.contains(event.detail.elt) && handleChange());
document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && storeOnLeaving());
addEventListener("pagehide", storeOnLeaving);
document.addEventListener("page-left", storeOnLeaving);
addEventListener("pageshow", () => {
  submitted = false;
});
addEventListener("online", () => failures && storeAfter(0));
document.addEventListener("signed-in", () => storeAfter(0));

// --- Sending the form: the page changes with an answer only ---

const NOT_SENT = "Not sent. Press Save again. What you typed is still here, and nothing is entered twice.";

document.addEventListener("not-sent", () => {
  submitted = false;
  showAlert(NOT_SENT);
  find("#alerts")?.scrollIntoView({ block: "nearest" });
  storeAfter(0);
});

document.addEventListener("submit", async (event) => {
  if (!form || event.target !== form || event.defaultPrevented) return;
  stored ??= "";
  submitted = true; // the server stores what the form submits
  clearTimeout(storeTimer);
  stopStoring();
  event.preventDefault();
  const sent = form;
  const isAnswered = await sendForm(sent, event.submitter);
  if (!isAnswered && sent === form) sent.dispatchEvent(new CustomEvent("not-sent", { bubbles: true }));
});

// --- Focus after an offered draft was discarded ---

document.addEventListener("htmx:beforeSwap", (event) => {
  if (!event.detail.shouldSwap || !event.detail.target.matches?.(".draft-offer")) return;
  const first = form?.querySelector("[autofocus]") ?? form?.querySelector("input:not([type=hidden]), select, textarea");
  first?.focus(); // the swap removes the pressed button
});

// --- Other users with the same record open ---

async function reportPresence() {
  if (document.visibilityState !== "visible") return;
  const body = new URLSearchParams({ room: mark.dataset.room });
  try {
    const headers = { "X-CSRFToken": csrfToken(), "HX-Request": "true", "X-Background": "1" };
    const response = await fetch(PRESENCE_URL, { method: "POST", body, headers });
    if (response.status === 401) document.dispatchEvent(new CustomEvent("sign-in-required"));
    if (response.ok) showOthers((await response.json()).others);
  } catch {
    // the next report follows by itself, and the form works without it
  }
}

function showOthers(message) {
  const note = find("[data-others]");
  if (!note) return;
  const paragraph = note.querySelector("p");
  if (paragraph.textContent.trim() !== message) paragraph.textContent = message;
  note.hidden = !message;
}

onPage(begin);
