// What the form of a record needs: that nothing typed is lost (the end of a session, and drafts), references to other
// records, and dates. Lists load it for the fields of their filters. It is one file because every form needs nearly all of it:
// a file is a request of its own.
//
// The end of a session while a page is open: a warning before it, and a dialog to sign in again over the page so that a
// save can go on. Forms watch it from the beginning; on other pages site.js calls checkSession(), shortly before the end and
// when a request gets a 401.

const SITE = document.documentElement.dataset.root; // the address of the start page; the site may stand below a path
const SESSION_URL = `${SITE}accounts/session/`;
const SIGN_IN_URL = `${SITE}accounts/login/?next=${SITE}accounts/signed-in/`;
const SIGN_OUT_URL = `${SITE}accounts/logout/`;
// All times are in ms.
const WARN_BEFORE = 120_000; // how long before the end the warning is shown
const TRUSTED_FOR = 20_000; // a save trusts an answer about the session for so long
const MIN_LEFT_TO_SAVE = 5_000; // with less left than this, a save checks first
const RECHECK_AFTER = 60_000; // a page that becomes visible again checks after so long
const POLL_INTERVAL = 1_500; // between checks while the sign-in dialog is open
const RETRY_DELAY = 15_000; // after the dashboard could not be reached
const MAX_TIMEOUT = 2 ** 31 - 1; // of setTimeout

let mark; // the field that carries the draft of the form
let told; // the element that says who is signed in, and for how long
let owner; // the user whom the page belongs to
let endsAt = Infinity;
let checkedAt = 0;
let lastAt = Infinity; // when the session ends, whatever is done
let isOtherUser = false; // somebody else is signed in now
let pendingSave; // the submission that waits for a sign-in: {form, button}
let isResubmitting = false;
let timer;
let polling;
let warned = false;
let isWatching = false;

function beginSession() {
  mark = document.querySelector("[data-draft]");
  told = mark ?? document.querySelector("meta[data-session-seconds]");
  owner = told ? Number(told.dataset.person) : null;
  endsAt = told ? Date.now() + Number(told.dataset.sessionSeconds) * 1000 : Infinity;
  checkedAt = mark ? Date.now() : 0;
  isWatching = Boolean(mark);
  if (isWatching) scheduleCheck();
}

// --- Times ------------------------------------------------------------------------------------------

// ms until the next check: when the warning is due, or when the session ends if the warning was shown.
export function nextCheck(timeLeft, { hasWarned }) {
  const delay = hasWarned ? Math.max(timeLeft, 500) : Math.max(timeLeft - WARN_BEFORE, 0);
  return Math.min(delay, MAX_TIMEOUT);
}

// True if a save may be sent without asking the server about the session first.
export function maySave({ timeLeft, sinceCheck }) {
  return sinceCheck < TRUSTED_FOR && timeLeft > MIN_LEFT_TO_SAVE;
}

// False if the session ends when it ends in any case (times in ms).
export function canStay(session) {
  return session.lastAt - session.endsAt > 2_000;
}

const timeLeft = () => endsAt - Date.now();

// --- The session, as the server knows it ---------------------------------------------------------------

// Asks about the session, or extends it with POST. Returns true if the owner of the form is signed in.
async function fetchSession(method = "GET") {
  const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
  const response = await fetch(SESSION_URL, { method, headers: { "X-CSRFToken": token } });
  if (response.status === 403 && method === "POST") {
    return (await fetchSession()) && fetchSession(method); // the CSRF token was outdated; GET brings a new one
  }
  const { person, seconds, last, csrf } = await response.json();
  for (const input of document.querySelectorAll("[name=csrfmiddlewaretoken]")) input.value = csrf;
  checkedAt = Date.now();
  endsAt = person === null ? 0 : checkedAt + seconds * 1000;
  lastAt = checkedAt + last * 1000;
  isOtherUser = belongsToOther(person);
  return person !== null && !isOtherUser;
}

const belongsToOther = (person) => person !== null && owner !== null && person !== owner;

function scheduleCheck() {
  clearTimeout(timer);
  if (endsAt === Infinity) return;
  if (timeLeft() > WARN_BEFORE) warned = false;
  timer = setTimeout(checkSession, nextCheck(timeLeft(), { hasWarned: warned }));
}

export async function checkSession() {
  isWatching = Boolean(told);
  try {
    if (!(await fetchSession())) {
      showEnded();
      return;
    }
    if (timeLeft() > WARN_BEFORE) closeDialog("ending");
    else if (!warned) showEnding();
    scheduleCheck();
  } catch {
    timer = setTimeout(checkSession, RETRY_DELAY);
  }
}

// --- The dialog -----------------------------------------------------------------------------------

let dialog;

function makeElement(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// Opens the dialog in a state ("ending", "ended" or "other"), unless it is open in that state. `action`: its main
// button or link, if there is one.
function showDialog(state, { title, message, action }) {
  if (dialog?.open && dialog.dataset.state === state) return;
  dialog?.remove();
  const dismiss = makeElement("button", { type: "button", className: "button quiet", textContent: action ? "Not now" : "Go on" });
  dismiss.addEventListener("click", () => dialog.close());
  const heading = makeElement("h2", { id: "session-title", textContent: title });
  const text = makeElement("p", { id: "session-words", textContent: message });
  const actions = makeElement("div", { className: "buttons" }, ...(action ? [action] : []), dismiss);
  dialog = makeElement("dialog", { className: "dialog" }, heading, text, actions);
  dialog.dataset.state = state;
  dialog.setAttribute("aria-labelledby", "session-title");
  dialog.setAttribute("aria-describedby", "session-words");
  dialog.addEventListener("close", handleClose);
  document.body.append(dialog);
  dialog.showModal();
  (action ?? dismiss).focus();
}

function closeDialog(state) {
  if (dialog?.open && dialog.dataset.state === state) dialog.close();
}

function handleClose() {
  clearInterval(polling);
  pendingSave = undefined;
}

const clock = (time) => new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

function showEnding() {
  warned = true;
  const title = "You will be signed out soon";
  const message = `Your sign-in ends at ${clock(endsAt)}. ${mark ? "What you typed" : "This page"} stays here.`;
  if (!canStay({ endsAt, lastAt })) {
    showDialog("ending", { title, message: `${message} It has lasted as long as one may; sign in again then.` });
    return;
  }
  const stay = makeElement("button", { type: "button", className: "button main", textContent: "Stay signed in" });
  stay.addEventListener("click", extendSession);
  showDialog("ending", { title, message, action: stay });
}

async function extendSession() {
  try {
    if (await fetchSession("POST")) {
      dialog.close();
      scheduleCheck();
    } else {
      showEnded();
    }
  } catch {
    showError("Entry Desk cannot be reached. Check your network.");
  }
}

const ENDED = {
  state: "ended",
  title: "You have been signed out",
  message: "Sign in to go on. A window opens for it; what you typed stays here.",
  label: "Sign in",
  url: SIGN_IN_URL,
};
const OTHER_USER = {
  state: "other",
  title: "Somebody else is signed in",
  message:
    "You are signed in as somebody else in this browser, and this page is not theirs. Sign out there, and sign in as yourself.",
  label: "Change who is signed in",
  url: SIGN_OUT_URL,
};

function showEnded() {
  const { state, title, message, label, url } = isOtherUser ? OTHER_USER : ENDED;
  const action = makeElement("a", { className: "button main", href: SIGN_IN_URL, target: "_blank", textContent: label });
  action.addEventListener("click", (event) => {
    if (window.open(url, "sign-in", "popup,width=520,height=720")) event.preventDefault();
  });
  const save = pendingSave; // handleClose of an earlier dialog may drop it
  showDialog(state, { title, message, action });
  pendingSave = save;
  clearInterval(polling);
  polling = setInterval(pollForSignIn, POLL_INTERVAL);
}

async function pollForSignIn() {
  try {
    if (await fetchSession()) handleSignedIn();
    else if (isOtherUser !== (dialog.dataset.state === "other")) showEnded();
  } catch {
    // the next poll follows by itself
  }
}

function handleSignedIn() {
  const save = pendingSave;
  dialog?.close();
  document.dispatchEvent(new CustomEvent("announce", { detail: { value: "You are signed in again." } }));
  document.dispatchEvent(new CustomEvent("signed-in"));
  scheduleCheck();
  if (save) resubmit(save);
}

function showError(message) {
  document.dispatchEvent(new CustomEvent("alert", { detail: { value: message } }));
}

// --- Saving: the session is checked before, unless it was checked a moment ago ---------------------------

function resubmit({ form, button }) {
  isResubmitting = true;
  form.requestSubmit(button?.form ? button : null);
  isResubmitting = false;
}

async function checkThenSave() {
  const save = pendingSave;
  try {
    if (!(await fetchSession())) {
      showEnded();
      return;
    }
    pendingSave = undefined;
    resubmit(save);
  } catch {
    pendingSave = undefined;
    tellNotSent();
  }
}

document.addEventListener(
  "submit",
  (event) => {
    if (isResubmitting || !mark || event.target !== mark.form) return;
    if (maySave({ timeLeft: timeLeft(), sinceCheck: Date.now() - checkedAt })) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (pendingSave) return;
    pendingSave = { form: event.target, button: event.submitter };
    checkThenSave();
  },
  true,
);

// --- When the session is checked ------------------------------------------------------------------------

document.addEventListener("visibilitychange", () => {
  if (isWatching && document.visibilityState === "visible" && Date.now() - checkedAt > RECHECK_AFTER) checkSession();
});
addEventListener("pageshow", (event) => event.persisted && isWatching && checkSession());
if (document.querySelector("[data-close-window]")) window.close(); // the sign-in window that a form has opened

// --- Drafts ------------------------------------------------------------------------------------------
//
// A draft is stored three seconds after the last change, with a press of Save, and when the user leaves the page. It is
// never sent to the external API. Also shows which other users have the same record open.

const STORE_URL = `${SITE}unfinished/keep/`;
const PRESENCE_URL = `${SITE}unfinished/open/`;
const STORE_AFTER = 3_000; // ms
const STORE_AGAIN_AFTER = [5_000, 15_000, 30_000, 60_000]; // ms, the last one repeats
const NOT_STORED = new Set(["csrfmiddlewaretoken", "token", "draft"]); // these differ with every form
const NOT_STORED_MESSAGES = {
  400: "",
  409: "Not kept: too many forms are unfinished.",
  413: "This is too long to be kept as a draft. Save it soon.",
};
const NOT_KEPT = "What you type cannot be kept just now. It is tried again by itself.";

let form;
let line;
let alarm;
let stored; // the form data that the server has, or that the form was loaded with
let sentOnLeaving; // the form data of the last beacon
let storeTimer;
let storing; // the AbortController of the request that is under way
let failures = 0; // since the last response
let submitted = false;
let presence; // the timer of reportPresence

// --- Form data and messages --------------------------------------------------------------------------

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

// --- Storing -----------------------------------------------------------------------------------------

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
// loads the page: the script of the lines may not have run yet, which leaves out fields of lines that are opened.
function rememberLoaded({ type } = {}) {
  if (type === "focusin" && document.readyState !== "complete") return;
  stored ??= currentFields();
}

function handleChange() {
  rememberLoaded();
  if (!failures) storeAfter(STORE_AFTER);
}

function beginDraft() {
  clearTimeout(storeTimer);
  clearInterval(presence);
  stopStoring();
  form = mark?.form;
  line = document.querySelector("[data-draft-line]");
  alarm = document.querySelector("[data-draft-alert]");
  stored = sentOnLeaving = undefined;
  failures = 0;
  submitted = false;
  if (!form) return;
  for (const type of ["focusin", "pointerdown", "keydown"]) form.addEventListener(type, rememberLoaded, { capture: true });
  for (const type of ["input", "change", "click", "keyup"]) form.addEventListener(type, handleChange);
  if (mark.dataset.room) presence = setInterval(reportPresence, Number(mark.dataset.beat) * 1000);
}

function stopStoring() {
  storing?.abort();
  storing = undefined;
}

document.addEventListener("htmx:afterSettle", (event) => form?.contains(event.detail.elt) && handleChange());
document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && storeOnLeaving());
addEventListener("pagehide", storeOnLeaving);
document.addEventListener("page-left", storeOnLeaving);
addEventListener("pageshow", () => {
  submitted = false;
});
addEventListener("online", () => failures && storeAfter(0));
document.addEventListener("signed-in", () => storeAfter(0));

// --- Sending the form: the page changes with an answer only -----------------------------------------------

const NOT_SENT = "Not sent. Press Save again. What you typed is still here, and nothing is entered twice.";

let pages; // change_page.js, once it is loaded; null where that failed: then the browser sends the form

const pageScript = document.querySelector("meta[name=page-script]");
const loadingPages = pageScript && import(pageScript.content).then((loaded) => (pages = loaded), () => (pages = null));

function tellNotSent() {
  submitted = false;
  form.dispatchEvent(new CustomEvent("not-sent", { bubbles: true }));
  showError(NOT_SENT);
  document.querySelector("#alerts")?.scrollIntoView({ block: "nearest" });
  storeAfter(0);
}

document.addEventListener("submit", async (event) => {
  if (!form || event.target !== form || event.defaultPrevented) return;
  stored ??= "";
  submitted = true; // the server stores what the form submits
  clearTimeout(storeTimer);
  stopStoring();
  if (!pageScript || pages === null) return;
  event.preventDefault();
  const sent = form;
  const button = event.submitter;
  await loadingPages;
  const isAnswered = await pages?.sendForm(sent, button);
  if (!isAnswered && sent === form) tellNotSent();
});

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

// --- References to other records ----------------------------------------------------------------------
//
// The combobox for a reference to another record. The server sends the matches while the user types.
//
// A match is accepted only if it was found for what the field contains now. Before the matches are there, Tab moves the
// focus at once and Enter is remembered. When they come, the certain match is accepted, as nobody has seen the others.
// The same holds until they have been shown for a while (site.js). Without a certain match the text stays: Tab
// leaves a note beside the field that nothing is chosen, Enter leaves the list open for another Enter.

const PAUSE = 250; // ms after the last key press before a search
const TIMEOUT = 15_000; // ms for an answer; longer than the server waits for the API
const HTMX_HEADER = { "HX-Request": "true" }; // asks for a fragment instead of a page
const NOT_LOADED = "The matches could not be loaded. The name is looked up when you save.";

// The match to accept without the user having seen it, or null: the one that is called what was typed (data-exact, the
// server's rule for a text without a choice), else the only one. Options are elements of the list: matches carry
// data-id, and a last one that offers to create a record carries data-create.
export function certainMatch(options) {
  const matches = options.filter((option) => option.dataset.id);
  return matches.find((match) => match.dataset.exact !== undefined) ?? (matches.length === 1 ? matches[0] : null);
}

// The index that an arrow key moves to, wrapping around. Current is -1 if no option is highlighted.
export function nextIndex(key, current, count) {
  return key === "ArrowDown" ? (current + 1) % count : (Math.max(current, 0) - 1 + count) % count;
}

async function fetchFragment(url, options = {}) {
  const response = await fetch(url, { ...options, headers: { ...options.headers, ...HTMX_HEADER } });
  if (response.status === 401) document.dispatchEvent(new CustomEvent("sign-in-required"));
  return response;
}

async function loadMatches(url, signal) {
  const response = await fetchFragment(url, { signal });
  if (!response.ok) throw new Error(response.status);
  return response.text();
}

// One search at a time: only the answer to the last query is reported, however late or out of order answers come.
export class Lookup {
  // load(query, signal) returns a promise of the answer. Each query that is not given up ends in one call of
  // onAnswer(query, answer) or onFailure().
  constructor({ load, onAnswer, onFailure, timeout = TIMEOUT }) {
    Object.assign(this, { load, onAnswer, onFailure, timeout });
  }

  // True from ask() until the answer or the failure.
  get isPending() {
    return this.query !== undefined;
  }

  // Sends the query after `delay` ms unless it is under way already. Gives up the query before it.
  ask(query, delay = 0) {
    if (this.request && query === this.query) return;
    this.cancel();
    this.query = query;
    this.timer = setTimeout(() => this.send(query), delay);
  }

  cancel() {
    clearTimeout(this.timer);
    this.request?.abort();
    this.request = undefined;
    this.query = undefined;
  }

  async send(query) {
    const request = new AbortController();
    this.request = request;
    this.timer = setTimeout(() => this.finish(request, () => this.onFailure()), this.timeout);
    const report = await this.load(query, request.signal).then(
      (answer) => () => this.onAnswer(query, answer),
      () => () => this.onFailure(),
    );
    this.finish(request, report);
  }

  // Reports the outcome of a request unless it was given up, or reported as timed out.
  finish(request, report) {
    if (request !== this.request) return;
    this.cancel();
    report();
  }
}

class RecordPicker extends HTMLElement {
  connectedCallback() {
    if (this.input) return; // the element was moved within the page
    this.input = this.querySelector("[type=text]");
    this.idInput = this.querySelector("[data-chosen]");
    this.chosenTitle = this.querySelector("[data-was]");
    if (!this.input || this.input.disabled) return;
    this.makeParts();
    this.shown = new window.ShownOptions();
    this.lookup = new Lookup({
      load: loadMatches,
      onAnswer: (query, html) => this.handleAnswer(query, html),
      onFailure: () => this.handleFailure(NOT_LOADED),
    });
    this.input.addEventListener("input", () => this.handleInput());
    this.input.addEventListener("keydown", (event) => this.handleKey(event));
    this.input.addEventListener("click", () => this.isOpen || this.chosenId || this.showMatches());
    this.input.addEventListener("blur", () => this.handleBlur());
    this.addEventListener("click", (event) => this.handleClick(event));
    this.input.addEventListener("focus", () => this.isUndecided && this.showMatches());
    if (this.input !== document.activeElement) return;
    if (this.input.value !== this.input.defaultValue) this.handleInput(); // typed before this module was loaded
    else if (this.isUndecided) this.showMatches();
  }

  makeParts() {
    this.list = document.createElement("div");
    Object.assign(this.list, { className: "picker-list", id: `${this.input.id}_list`, hidden: true });
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", `Matching ${this.dataset.noun}s`);
    this.status = document.createElement("div");
    this.status.setAttribute("role", "status");
    this.say("");
    this.input.parentElement.append(this.list, this.status);
    const states = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.list.id };
    for (const [name, value] of Object.entries(states)) this.input.setAttribute(name, value);
    this.list.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the focus in the field
  }

  // The address of the matches for what the field contains now.
  get query() {
    const url = new URL(this.dataset.url, location.href);
    url.searchParams.set("q", this.input.value.trim());
    if (this.within) url.searchParams.set("within", this.within);
    return url.href;
  }

  // True if the options of the list are the matches for what the field contains now.
  get isCurrent() {
    return this.listedQuery === this.query;
  }

  get isOpen() {
    return !this.list.hidden && this.isCurrent;
  }

  get chosenId() {
    return this.idInput.value;
  }

  // True for a text that came with the page, for which no match was chosen.
  get isUndecided() {
    const { value, defaultValue } = this.input;
    return value.trim() && value === defaultValue && !this.chosenId;
  }

  get options() {
    return [...this.list.querySelectorAll("[role=option]")];
  }

  get highlighted() {
    return this.list.querySelector("[aria-selected=true]");
  }

  // The value of the field that narrows the matches, such as the customer of a deal.
  get within() {
    return this.closest("form")?.elements[this.dataset.within]?.value;
  }

  // True if the user has gone on to another part of the page.
  get hasLeft() {
    return document.activeElement !== document.body && !this.contains(document.activeElement);
  }

  // --- Searching ---

  // isUnsettled: the user has typed a text, and has neither chosen a match for it nor dismissed the matches.
  handleInput() {
    this.clearChoice();
    this.stopAsking();
    this.close();
    this.say("");
    this.isUnsettled = Boolean(this.input.value.trim());
    if (this.isUnsettled) this.ask(PAUSE);
  }

  clearChoice() {
    if (!this.chosenId && !this.chosenTitle.value) return;
    this.idInput.value = this.chosenTitle.value = "";
    this.dispatchChange();
  }

  ask(delay) {
    this.input.setAttribute("aria-busy", "true");
    this.lookup.ask(this.query, delay);
  }

  stopAsking() {
    this.input.removeAttribute("aria-busy");
    this.enterIsWaiting = false;
    this.lookup.cancel();
  }

  handleAnswer(query, html) {
    if (query !== this.query) {
      this.ask(); // the field that narrows the matches has changed
      return;
    }
    const content = new DOMParser().parseFromString(html, "text/html");
    const note = content.querySelector("[data-note]");
    if (note.dataset.note === "failed") {
      this.handleFailure(note.textContent);
      return;
    }
    const acceptable = this.dataset.newUrl ? "[role=option]" : "[data-id]"; // a filter offers no new record
    this.list.replaceChildren(...content.querySelectorAll(acceptable));
    this.options.forEach((option, index) => option.setAttribute("id", `${this.list.id}_${index}`));
    this.listedQuery = query;
    this.note = note.textContent;
    const { enterIsWaiting } = this;
    this.stopAsking();
    if (document.activeElement !== this.input) this.settle();
    else if (!enterIsWaiting || !this.accept(certainMatch(this.options))) this.open();
  }

  handleFailure(message) {
    this.stopAsking();
    this.close();
    this.listedQuery = undefined;
    this.say(message, { isVisible: true });
  }

  // After the user has left the field: chooses the certain match, or says that nothing is chosen.
  settle() {
    if (!this.isUnsettled) return;
    if (!this.isCurrent) this.ask();
    else if (!this.accept(certainMatch(this.options))) this.sayNotChosen();
  }

  sayNotChosen() {
    this.say(`Not chosen. ${this.isCurrent ? this.note : ""}`, { isVisible: true });
  }

  // Opens the list for a user who asks for it by a click or an arrow key.
  showMatches() {
    this.isUnsettled = Boolean(this.input.value.trim()) && !this.chosenId;
    this.enterIsWaiting = false;
    if (this.isCurrent) this.open();
    else this.ask();
  }

  open() {
    const isOpen = this.options.length > 0;
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
    this.say(this.note, { isVisible: !isOpen });
    this.highlight(this.input.value.trim() ? this.options[0] : undefined); // Enter in an empty field chooses nothing
    if (isOpen) this.shown.show(this.listedQuery);
  }

  // Tells the user a message beside the field, or screen readers only.
  say(message, { isVisible = false } = {}) {
    this.status.textContent = message;
    this.status.className = isVisible ? "picker-note" : "unseen";
  }

  highlight(option) {
    for (const each of this.options) each.setAttribute("aria-selected", String(each === option));
    if (option) this.input.setAttribute("aria-activedescendant", option.id);
    else this.input.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  close() {
    this.shown.hide();
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  // --- Choosing ---

  handleKey(event) {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") this.moveHighlight(event);
    else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) this.handleEnter(event);
    else if (event.key === "Escape" && (this.isOpen || this.lookup.isPending)) {
      event.preventDefault();
      event.stopPropagation(); // a dialog around the picker stays open
      this.dismiss();
    } else if (event.key === "Tab" && this.isOpen) this.acceptOnTab(this.optionFor(event));
  }

  moveHighlight(event) {
    event.preventDefault();
    if (!this.isOpen) {
      this.showMatches();
      return;
    }
    const { options } = this;
    this.shown.reach();
    this.highlight(options[nextIndex(event.key, options.indexOf(this.highlighted), options.length)]);
  }

  // The option that a key takes from the open list, or null: the highlighted one if it can have been read.
  optionFor(event) {
    return this.highlighted && (this.shown.isRead(event.timeStamp) ? this.highlighted : certainMatch(this.options));
  }

  // A second Enter does not wait for the matches: it goes on, or submits the form, whose text the server looks up.
  handleEnter(event) {
    const mayWait = this.isUnsettled && this.lookup.isPending && !this.enterIsWaiting;
    if (event.repeat) {
      event.preventDefault(); // a key held down is pressed once
    } else if (this.isOpen && this.highlighted) {
      event.preventDefault(); // without an option the list stays open, and the form is not submitted
      this.accept(this.optionFor(event));
    } else if (mayWait) {
      event.preventDefault(); // does not submit the form before the matches are there
      this.enterIsWaiting = true;
      this.ask();
    } else this.close();
  }

  // A new record needs Enter or a click; with its offer highlighted, leaving chooses nothing.
  acceptOnTab(option) {
    if (option?.dataset.create === undefined) this.accept(option);
    else this.dismiss();
  }

  handleBlur() {
    if (document.activeElement === this.input) return; // the user has left the window, not the field
    this.close();
    this.settle();
  }

  dismiss() {
    this.stopAsking();
    this.close();
    if (this.isUnsettled) this.sayNotChosen();
    this.isUnsettled = false;
  }

  // Chooses a match, or opens the fields of a new record if the option offers that. Returns false without an option.
  accept(option) {
    if (!option) return false;
    this.close();
    this.isUnsettled = false;
    if (option.dataset.id) this.choose(option.dataset.id, option.dataset.title);
    else this.openNew(option.dataset.create);
    return true;
  }

  choose(id, title) {
    this.stopAsking();
    this.isUnsettled = false;
    this.idInput.value = id;
    this.chosenTitle.value = title;
    this.input.value = title;
    this.say(`${title} is chosen.`);
    this.dispatchChange();
  }

  dispatchChange() {
    this.idInput.dispatchEvent(new Event("change", { bubbles: true }));
  }

  handleClick(event) {
    const option = event.target.closest?.("[role=option]");
    if (option && this.isOpen) this.accept(option);
  }

  // The fields of a new record, whose script is loaded when they are first needed.
  loadQuickForm() {
    this.quickForm ??= import(this.dataset.newScript).then(({ QuickForm }) => new QuickForm(this, fetchFragment));
    return this.quickForm;
  }

  async openNew(text) {
    try {
      (await this.loadQuickForm()).open(text);
    } catch {
      this.say("This could not be loaded. Reload the page and try again.", { isVisible: true });
    }
  }
}

customElements.define("record-picker", RecordPicker);

// --- Dates -------------------------------------------------------------------------------------------
//
// Date fields take text such as t, +30, fri or 15/3. Beside the field stand the day that the server reads
// (dashboard/text/dates.py) and the browser's calendar. Choosing a day there keeps a time that was typed.

const TIME_AT_END = /\d{1,2}:\d{2}(:\d{2})?$/;

// The text of the field after a day was chosen: time is what the server last read, text what the field contained.
export function withTime(day, { time, text }) {
  return `${day} ${time || (text.match(TIME_AT_END)?.[0] ?? "")}`.trim();
}

class DayField {
  constructor(input) {
    this.input = input;
    this.time = "";
    this.echo = input.parentElement.querySelector("[data-day-echo]");
    this.calendar = this.addCalendar();
    input.addEventListener("change", () => this.showReading());
    if (input.value !== input.defaultValue) this.showReading(); // typed before this file was loaded
  }

  addCalendar() {
    const calendar = document.createElement("input");
    calendar.type = "date";
    calendar.className = "day-calendar";
    calendar.tabIndex = -1;
    const name = this.input.labels?.[0]?.textContent.trim() ?? this.input.getAttribute("aria-label") ?? "day";
    calendar.setAttribute("aria-label", `Calendar: ${name}`);
    calendar.addEventListener("change", (event) => {
      event.stopPropagation(); // the field reports the change
      if (calendar.value) this.choose(calendar.value);
    });
    this.input.after(calendar);
    return calendar;
  }

  choose(day) {
    this.input.value = withTime(day, { time: this.time, text: this.input.value });
    this.input.dispatchEvent(new Event("change", { bubbles: true }));
    this.input.focus();
  }

  async showReading() {
    const text = this.input.value;
    if (!text.trim()) {
      this.show("", "");
      return;
    }
    try {
      const response = await fetch(`${document.documentElement.dataset.root}day/?${new URLSearchParams({ text, kind: this.input.dataset.day })}`);
      const { said, iso, time } = await response.json();
      if (text === this.input.value) this.show(said, iso, time);
    } catch {
      if (text === this.input.value) this.show("", ""); // the server reads the text again when the form is submitted
    }
  }

  show(reading, iso, time = "") {
    this.time = time;
    this.echo.textContent = reading;
    this.echo.classList.toggle("day-wrong", Boolean(reading && !iso));
    this.calendar.value = iso;
  }
}

function beginDays() {
  for (const input of document.querySelectorAll("#main [data-day]")) if (!input.disabled) new DayField(input);
}

// --- A page begins: the one that was loaded, and each that change_page.js puts in its place ---------------------

function begin() {
  beginSession();
  beginDraft();
  beginDays();
}

begin();
document.addEventListener("page-changed", begin);
