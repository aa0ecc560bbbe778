// Keeps what is typed into a record form: three seconds after a pause, and on leaving. Nothing is sent to the
// service by this. Also says who else has the same record open.

const KEEP = "/unfinished/keep/";
const BEAT = "/unfinished/open/";
const PAUSE = 3_000;
const RETRY = [5_000, 15_000, 30_000, 60_000];
const ONCE = new Set(["csrfmiddlewaretoken", "token", "draft"]);

const mark = document.querySelector("[data-draft]");
const form = mark?.form;
const line = document.querySelector("[data-draft-line]");
const alarm = document.querySelector("[data-draft-alert]");
let kept; // what the server has of it, or what the form opened with
let left; // what was sent on leaving
let timer;
let sending; // the AbortController of a save under way
let failures = 0;
let submitted = false;

function typed() {
  const data = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (!ONCE.has(name) && typeof value === "string") data.append(name, value);
  return data.toString();
}

const body = (data) => new Blob([`${data}&draft=${encodeURIComponent(mark.value)}`], { type: "application/x-www-form-urlencoded" });
const clock = () => new Date().toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

function say(words, { bad = false } = {}) {
  if (line) line.textContent = words;
  if (alarm && alarm.textContent !== (bad ? words : "")) alarm.textContent = bad ? words : "";
}

function later(wait) {
  clearTimeout(timer);
  timer = setTimeout(keep, wait);
}

async function keep() {
  if (kept === undefined || submitted || sending) return;
  const now = typed();
  if (now === kept) return;
  sending = new AbortController();
  try {
    const answer = await fetch(KEEP, { method: "POST", body: body(now), signal: sending.signal });
    heard(answer.status, await answer.json(), now);
  } catch {
    if (!submitted) failed();
  }
  sending = undefined;
  if (!failures && kept !== typed()) later(PAUSE); // typed on meanwhile
}

function heard(status, answer, now) {
  failures = 0;
  if (status === 410) {
    mark.value = answer.draft; // this form was saved before; what is typed now is a new draft
  } else if (status === 401) {
    kept = now;
    document.dispatchEvent(new CustomEvent("sign-in-required"));
  } else if (status === 503 || status >= 500) {
    failed();
  } else {
    kept = now;
    const words = { 413: "This is too long to be kept as a draft. Save it soon.", 409: "Not kept: too many forms are unfinished.", 400: "" };
    say(words[status] ?? `Kept at ${clock()}`, { bad: status in words && status !== 400 });
  }
}

function failed() {
  say("What you type cannot be kept just now. It is tried again by itself.", { bad: true });
  later(RETRY[Math.min(failures++, RETRY.length - 1)]);
}

function leaving() {
  if (kept === undefined || submitted) return;
  const now = typed();
  if (now === kept || now === left) return;
  if (navigator.sendBeacon(KEEP, body(now))) left = now;
}

function begin() {
  kept ??= typed();
}

function changed() {
  begin();
  if (!failures) later(PAUSE);
}

if (form) {
  for (const kind of ["focusin", "pointerdown", "keydown"]) form.addEventListener(kind, begin, { capture: true });
  for (const kind of ["input", "change", "click", "keyup"]) form.addEventListener(kind, changed);
  document.addEventListener("htmx:afterSettle", (event) => form.contains(event.detail.elt) && changed());
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && leaving());
  addEventListener("pagehide", leaving);
  addEventListener("pageshow", () => (submitted = false));
  document.addEventListener("signed-in", () => later(0));
  document.addEventListener("submit", (event) => {
    if (event.target !== form || event.defaultPrevented) return;
    submitted = true; // what is posted is kept by the server
    clearTimeout(timer);
    sending?.abort();
  });
  if (mark.dataset.room) setInterval(beat, Number(mark.dataset.beat) * 1000);
}

// --- A draft that was offered and discarded ---------------------------------------------------------

document.addEventListener("htmx:beforeSwap", (event) => {
  if (!event.detail.shouldSwap || !event.detail.target.matches?.(".draft-offer")) return;
  form?.querySelector("input:not([type=hidden]), select, textarea")?.focus(); // what was pressed is about to go
});

// --- Who else has it open ---------------------------------------------------------------------------

async function beat() {
  if (document.visibilityState !== "visible") return;
  const token = form.elements.csrfmiddlewaretoken.value;
  const data = new URLSearchParams({ room: mark.dataset.room });
  try {
    const answer = await fetch(BEAT, { method: "POST", body: data, headers: { "X-CSRFToken": token, "HX-Request": "true" } });
    if (answer.status === 401) document.dispatchEvent(new CustomEvent("sign-in-required"));
    if (answer.ok) showOthers((await answer.json()).others);
  } catch {
    // it is only a courtesy
  }
}

function showOthers(words) {
  const note = document.querySelector("[data-others]");
  if (!note) return;
  const place = note.querySelector("p");
  if (place.textContent.trim() !== words) place.textContent = words;
  note.hidden = !words;
}
