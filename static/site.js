// What every page does beyond plain HTML: honest words for failed requests, "Saving…", light and dark.
// Everything here improves something that already works without it.

const find = (selector, root = document) => root.querySelector(selector);

// --- Regions that are read out -------------------------------------------------------------------

function announce(words) {
  const region = find("#announcer");
  if (region) region.textContent = words;
}

function alertWith(words, link) {
  const region = find("#alerts");
  if (!region) return;
  const note = document.createElement("div");
  note.className = "note note-error";
  const text = document.createElement("p");
  text.textContent = words;
  if (link) {
    const again = document.createElement("a");
    again.href = link;
    again.textContent = "Try again";
    text.append(" ", again);
  }
  note.append(text);
  region.replaceChildren(note);
  addClose(note);
}

// A close button needs JavaScript, so JavaScript puts it there.
function addClose(note) {
  if (find(".note-close", note)) return;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "note-close";
  close.setAttribute("aria-label", "Dismiss");
  close.textContent = "×";
  close.addEventListener("click", () => {
    note.remove();
    find("#main")?.focus();
  });
  note.append(close);
}

// --- Failed htmx requests ------------------------------------------------------------------------

const WORDS = {
  0: "The dashboard could not be reached. Check your connection.",
  401: "You have been signed out. Sign in, then try once more.",
  403: "You are not allowed to do this, or this page is too old. Reload it and try again.",
  404: "This does not exist any more.",
  413: "That is too much at once.",
  429: "Too many requests at once. Wait a moment.",
};

function failed(event, words) {
  const { requestConfig, xhr, pathInfo, target } = event.detail;
  settle(target);
  if (xhr?.getResponseHeader("HX-Retarget")) return; // the answer says it better, in its own place
  const reading = requestConfig?.verb === "get";
  const otherwise = reading
    ? "This could not be loaded: the dashboard answered with an error."
    : "The dashboard answered with an error, so it is not certain that this was saved. Look before you repeat it.";
  alertWith(words ?? WORDS[xhr?.status] ?? otherwise, reading ? pathInfo?.finalRequestPath : null);
}

const settle = (target) => target?.removeAttribute?.("aria-busy");

document.addEventListener("htmx:beforeRequest", (event) => event.detail.target.setAttribute("aria-busy", "true"));
document.addEventListener("htmx:afterRequest", (event) => settle(event.detail.target));
document.addEventListener("htmx:responseError", (event) => failed(event));
document.addEventListener("htmx:sendError", (event) => failed(event, WORDS[0]));
document.addEventListener("htmx:timeout", (event) => failed(event, "The dashboard took too long to answer."));
document.addEventListener("htmx:configRequest", (event) => {
  const token = find("[name=csrfmiddlewaretoken]");
  if (token && event.detail.verb !== "get") event.detail.headers["X-CSRFToken"] = token.value;
});
// An answer that names its own place (HX-Retarget: #alerts) is shown there, whatever its status.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.getResponseHeader("HX-Retarget")) event.detail.shouldSwap = true;
});
// The session has ended: session.js (on forms it is there already) offers to sign in over the page.
document.addEventListener("sign-in-required", async () => {
  const script = find("meta[name=session-script]")?.content;
  if (script) (await import(script)).look();
});
// From the server: HX-Trigger: {"announce": "25 of 431 contacts"}; from a module: a CustomEvent with detail.value.
document.addEventListener("announce", (event) => announce(event.detail.value));
document.addEventListener("htmx:afterSettle", (event) => {
  find("[autofocus]", event.detail.elt)?.focus();
  const words = find("[data-announce]", event.detail.elt)?.textContent;
  if (words) announce(words);
});

// --- Saving: said at once, and only once ---------------------------------------------------------

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
    button.dataset.label = button.textContent;
    button.textContent = button.dataset.saving;
    announce(button.dataset.saving);
  }
});

function restore(root) {
  for (const form of [root, ...root.querySelectorAll("[data-sent]")]) form.removeAttribute?.("data-sent");
  for (const button of root.querySelectorAll("[aria-disabled=true][type=submit]")) {
    button.removeAttribute("aria-disabled");
    if (button.dataset.label) button.textContent = button.dataset.label;
  }
}
// Back from the next page: the browser shows this one as it was left.
addEventListener("pageshow", (event) => event.persisted && restore(document));
document.addEventListener("htmx:afterRequest", (event) => restore(event.detail.elt.closest("form") ?? document.body));

// --- Light and dark ------------------------------------------------------------------------------

document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (!event.target.matches("[data-theme-form]") || button?.name !== "theme") return;
  event.preventDefault();
  const age = button.value ? 31536000 : 0;
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `theme=${button.value}; path=/; max-age=${age}; samesite=lax${secure}`;
  if (button.value) document.documentElement.dataset.bsTheme = button.value;
  else delete document.documentElement.dataset.bsTheme;
  find("meta[name=color-scheme]").content = button.value || "light dark";
  for (const other of event.target.querySelectorAll("[name=theme]")) {
    other.setAttribute("aria-pressed", String(other === button));
  }
});

// --- Back to the list as it was left: page, filters and row --------------------------------------

const memory = (() => {
  try {
    return sessionStorage;
  } catch {
    return null; // storage may be forbidden
  }
})();

document.addEventListener("click", (event) => {
  const row = event.target.closest?.("[data-results] tbody a");
  if (row) memory?.setItem(`list:${location.pathname}`, JSON.stringify([location.search, row.pathname]));
});

function remembered(path) {
  return JSON.parse(memory?.getItem(`list:${path}`) ?? "null");
}

for (const link of document.querySelectorAll("[data-list-link]")) {
  const left = remembered(link.pathname);
  if (left) link.search = left[0];
}
const left = find("[data-results]") && document.referrer && remembered(location.pathname);
if (left && new URL(document.referrer).pathname.startsWith(left[1])) {
  const row = find(`[data-results] tbody a[href="${CSS.escape(left[1])}"]`);
  row?.focus();
  row?.scrollIntoView({ block: "center" });
}

// --- On arrival ----------------------------------------------------------------------------------

for (const part of document.querySelectorAll("[data-needs-js]")) part.hidden = false;
for (const note of document.querySelectorAll("#messages .note, #alerts .note")) addClose(note);
// Live regions speak of changes only; what was there on arrival is said once more.
const arrived = [...document.querySelectorAll("#alerts .note p, #messages .note p")].map((p) => p.textContent);
if (arrived.length) setTimeout(() => announce(arrived.join(" ")), 200);
