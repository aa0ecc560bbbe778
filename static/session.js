// A session that ends under a form: warned of in time, and signed in again over the form, whatever the way of
// signing in, so that the same save goes on. Loaded by forms, and by site.js where a request met a session's end.

const SESSION = "/accounts/session/";
const SIGN_IN = "/accounts/login/?next=/accounts/signed-in/";
const WARN = 120_000; // ms before the end
const FRESH = 20_000; // ms that an answer about the session is relied on
const POLL = 1_500;
const LONGEST = 2 ** 31 - 1; // of a timer

const mark = document.querySelector("[data-draft]");
const owner = mark ? Number(mark.dataset.person) : null;
let ends = mark ? Date.now() + Number(mark.dataset.sessionSeconds) * 1000 : Infinity;
let checked = mark ? Date.now() : 0;
let somebodyElse = false;
let waiting; // the save that is to go on: {form, button}
let passed = false;
let timer;
let polling;
let warned = false;

// --- What the server says -------------------------------------------------------------------------

async function ask(method = "GET") {
  const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
  const answer = await fetch(SESSION, { method, headers: { "X-CSRFToken": token } });
  if (answer.status === 403 && method === "POST") return (await ask()) && ask(method); // the token was stale
  const { person, seconds, csrf } = await answer.json();
  for (const input of document.querySelectorAll("[name=csrfmiddlewaretoken]")) input.value = csrf;
  checked = Date.now();
  somebodyElse = person !== null && owner !== null && person !== owner;
  ends = person === null ? 0 : checked + seconds * 1000;
  return person !== null && !somebodyElse;
}

const left = () => ends - Date.now();

function watch() {
  clearTimeout(timer);
  if (!mark || ends === Infinity) return;
  if (left() > WARN) warned = false;
  const next = warned ? Math.max(left(), 500) : Math.max(left() - WARN, 0);
  timer = setTimeout(look, Math.min(next, LONGEST));
}

async function look() {
  try {
    const well = await ask();
    if (!well) return showEnded();
    if (left() <= WARN && !warned) showEnding();
    if (left() > WARN) close("ending");
    watch();
  } catch {
    timer = setTimeout(look, 15_000); // the dashboard cannot be reached just now
  }
}

// --- The dialog -----------------------------------------------------------------------------------

let dialog;

function make(tag, details, ...children) {
  const element = Object.assign(document.createElement(tag), details);
  element.append(...children);
  return element;
}

function show(state, title, words, action) {
  if (dialog?.open && dialog.dataset.state === state) return;
  dialog?.remove();
  const later = make("button", { type: "button", className: "btn btn-quiet", textContent: "Not now" });
  later.addEventListener("click", () => dialog.close());
  const heading = make("h2", { id: "session-title", textContent: title });
  const text = make("p", { id: "session-words", textContent: words });
  dialog = make("dialog", { className: "dialog" }, heading, text, make("div", { className: "form-actions" }, action, later));
  dialog.dataset.state = state;
  dialog.setAttribute("aria-labelledby", "session-title");
  dialog.setAttribute("aria-describedby", "session-words");
  dialog.addEventListener("close", closed);
  document.body.append(dialog);
  dialog.showModal();
  action.focus();
}

function close(state) {
  if (dialog?.open && dialog.dataset.state === state) dialog.close();
}

function closed() {
  clearInterval(polling);
  waiting = undefined;
}

const clock = (time) => new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

function showEnding() {
  const stay = make("button", { type: "button", className: "btn btn-primary", textContent: "Stay signed in" });
  stay.addEventListener("click", async () => {
    try {
      if (!(await ask("POST"))) return showEnded();
      dialog.close();
      watch();
    } catch {
      complain("The dashboard could not be reached. Check your connection.");
    }
  });
  warned = true;
  show("ending", "You will be signed out soon", `Your sign-in ends at ${clock(ends)}. What you typed stays here.`, stay);
}

function showEnded() {
  const link = make("a", { className: "btn btn-primary", href: SIGN_IN, target: "_blank", textContent: "Sign in" });
  link.addEventListener("click", (event) => {
    if (window.open(somebodyElse ? "/accounts/logout/" : SIGN_IN, "sign-in", "popup,width=520,height=720")) event.preventDefault();
  });
  const words = somebodyElse
    ? "You are signed in as somebody else in this browser, and this form is not theirs. Sign out there, and sign in as yourself."
    : "Sign in to go on. A window opens for it; what you typed stays here.";
  if (somebodyElse) link.textContent = "Change who is signed in";
  const save = waiting;
  show(somebodyElse ? "other" : "ended", somebodyElse ? "Somebody else is signed in" : "You have been signed out", words, link);
  waiting = save;
  clearInterval(polling);
  polling = setInterval(tryAgain, POLL);
}

async function tryAgain() {
  try {
    if (await ask()) signedIn();
    else if (somebodyElse !== (dialog.dataset.state === "other")) showEnded();
  } catch {
    // it is tried again in a moment
  }
}

function signedIn() {
  const save = waiting;
  dialog?.close();
  document.dispatchEvent(new CustomEvent("announce", { detail: { value: "You are signed in again." } }));
  document.dispatchEvent(new CustomEvent("signed-in"));
  watch();
  if (save) submit(save);
}

function complain(words) {
  const note = make("div", { className: "note note-error" }, make("p", { textContent: words }));
  document.querySelector("#alerts")?.replaceChildren(note);
}

// --- Saving: the session is looked at first, unless it was just now ---------------------------------

function submit({ form, button }) {
  passed = true;
  form.requestSubmit(button?.form ? button : null);
  passed = false;
}

async function goOn() {
  const save = waiting;
  try {
    if (!(await ask())) return showEnded();
    waiting = undefined;
    submit(save);
  } catch {
    waiting = undefined;
    complain("The dashboard could not be reached, so nothing was sent. What you typed is still here.");
  }
}

document.addEventListener(
  "submit",
  (event) => {
    if (passed || !mark || event.target !== mark.form) return;
    if (Date.now() - checked < FRESH && left() > 5_000) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (waiting) return;
    waiting = { form: event.target, button: event.submitter };
    goOn();
  },
  true,
);

// --- When to look -----------------------------------------------------------------------------------

document.addEventListener("visibilitychange", () => {
  if (mark && document.visibilityState === "visible" && Date.now() - checked > 60_000) look();
});
addEventListener("pageshow", (event) => event.persisted && mark && look());
watch();
if (document.querySelector("[data-close-window]")) window.close(); // only a window that was opened over a form

export { look };
