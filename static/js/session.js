// The end of a session while a page is open: a warning before it, and a dialog to sign in again over the page so that a
// save can go on. Forms watch it from the beginning; on other pages site.js calls checkSession(), shortly before the end and
// when a request gets a 401.

import { announce, showAlert, UNREACHABLE } from "live_regions";
import { clock, csrfToken, find, make, onPage, SITE } from "page";

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
let isOtherUser = false; // someone else is signed in now
let pendingSave; // the submission that waits for a sign-in: {form, button}
let isResubmitting = false;
let timer;
let polling;
let warned = false;
let isWatching = false;

function begin() {
  mark = find("[data-draft]");
  told = mark ?? find("meta[data-session-seconds]");
  owner = told ? Number(told.dataset.person) : null;
  endsAt = told ? Date.now() + Number(told.dataset.sessionSeconds) * 1000 : Infinity;
  checkedAt = mark ? Date.now() : 0;
  isWatching = Boolean(mark);
  if (isWatching) scheduleCheck();
}

// --- Times ---

// ms until the next check: when the warning is due, or when the session ends if the warning was shown.
export function nextCheck(timeLeft, { hasWarned }) {
  const delay = hasWarned ? Math.max(timeLeft, 500) : Math.max(timeLeft - WARN_BEFORE, 0);
  return Math.min(delay, MAX_TIMEOUT);
}

// True if a save may be sent without asking the server about the session first.
export function maySave({ timeLeft, sinceCheck }) {
  return sinceCheck < TRUSTED_FOR && timeLeft > MIN_LEFT_TO_SAVE;
}

// False if the session cannot be extended (times in ms).
export function canStay(session) {
  return session.lastAt - session.endsAt > 2_000;
}

const timeLeft = () => endsAt - Date.now();

// --- The session, as the server knows it ---

// Asks about the session, or extends it with POST. Returns true if the owner of the form is signed in.
async function fetchSession(method = "GET") {
  const response = await fetch(SESSION_URL, { method, headers: { "X-CSRFToken": csrfToken() } });
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

// --- The dialog ---

let dialog;

// Opens the dialog in a state ("ending", "ended" or "other"), unless it is open in that state. `action`: its main
// button or link, if there is one.
function showDialog(state, { title, message, action }) {
  if (dialog?.open && dialog.dataset.state === state) return;
  dialog?.remove();
  const dismiss = make("button", { type: "button", className: "button quiet", textContent: action ? "Not now" : "Continue" });
  dismiss.addEventListener("click", () => dialog.close());
  const heading = make("h2", { id: "session-title", textContent: title });
  const text = make("p", { id: "session-words", textContent: message });
  const actions = make("div", { className: "buttons" }, ...(action ? [action] : []), dismiss);
  dialog = make("dialog", { className: "dialog" }, heading, text, actions);
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

function showEnding() {
  warned = true;
  const title = "You will be signed out soon";
  const message = `Your session ends at ${clock(endsAt)}. ${mark ? "What you typed" : "This page"} stays here.`;
  if (!canStay({ endsAt, lastAt })) {
    showDialog("ending", { title, message: `${message} It can't be extended. Sign in again then.` });
    return;
  }
  const stay = make("button", { type: "button", className: "button main", textContent: "Stay signed in" });
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
    showAlert(UNREACHABLE);
  }
}

const ENDED = {
  state: "ended",
  title: "You have been signed out",
  message: "Sign in to continue. A window opens; what you typed stays here.",
  label: "Sign in",
  url: SIGN_IN_URL,
};
const OTHER_USER = {
  state: "other",
  title: "Someone else is signed in",
  message:
    "This page isn't theirs. Sign them out in this browser, then sign in again.",
  label: "Switch user",
  url: SIGN_OUT_URL,
};

function showEnded() {
  const { state, title, message, label, url } = isOtherUser ? OTHER_USER : ENDED;
  const action = make("a", { className: "button main", href: SIGN_IN_URL, target: "_blank", textContent: label });
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
  announce("You are signed in again.");
  document.dispatchEvent(new CustomEvent("signed-in"));
  scheduleCheck();
  if (save) resubmit(save);
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
    save.form.dispatchEvent(new CustomEvent("not-sent", { bubbles: true }));
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

// --- When the session is checked ---

document.addEventListener("visibilitychange", () => {
  if (isWatching && document.visibilityState === "visible" && Date.now() - checkedAt > RECHECK_AFTER) checkSession();
});
addEventListener("pageshow", (event) => event.persisted && isWatching && checkSession());
if (find("[data-close-window]")) window.close(); // the sign-in window that a form has opened

onPage(begin);
