// The end of a session while a page is open: a warning before it, and a dialog to sign in again over the page so that
// nothing typed is lost and a save can go on. Forms load this module; on other pages site.js does, shortly before the end
// and when a request gets a 401.

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

const mark = document.querySelector("[data-draft]");
const told = mark ?? document.querySelector("meta[data-session-seconds]");
const owner = told ? Number(told.dataset.person) : null; // the user whom the page belongs to
let endsAt = told ? Date.now() + Number(told.dataset.sessionSeconds) * 1000 : Infinity;
let checkedAt = mark ? Date.now() : 0;
let lastAt = Infinity; // when the session ends, whatever is done
let isOtherUser = false; // somebody else is signed in now
let pendingSave; // the submission that waits for a sign-in: {form, button}
let isResubmitting = false;
let timer;
let polling;
let warned = false;

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

async function checkSession() {
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
    showError("The dashboard could not be reached. Check your connection.");
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
  const note = makeElement("div", { className: "notice bad" }, makeElement("p", { textContent: message }));
  document.querySelector("#alerts")?.replaceChildren(note);
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
    showError("The dashboard could not be reached, so nothing was sent. What you typed is still here.");
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
  if (told && document.visibilityState === "visible" && Date.now() - checkedAt > RECHECK_AFTER) checkSession();
});
addEventListener("pageshow", (event) => event.persisted && told && checkSession());
scheduleCheck();
if (document.querySelector("[data-close-window]")) window.close(); // the sign-in window that a form has opened

export { checkSession };
