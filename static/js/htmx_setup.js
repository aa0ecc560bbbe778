// The settings of htmx, and what a page says when one of its requests fails.

import { showAlert, tryAgain, UNREACHABLE } from "live_regions";
import { csrfToken, find, make } from "page";

// Read by htmx after this.
if (globalThis.htmx) {
  Object.assign(globalThis.htmx.config, {
    historyCacheSize: 0, // no page is kept in the browser's storage
    historyRestoreAsHxRequest: false,
    refreshOnHistoryMiss: true,
    timeout: 15_000, // ms
    allowEval: false,
    allowScriptTags: false,
    includeIndicatorStyles: false, // the policy for contents rejects them
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

const TOO_SLOW = "Entry Desk took too long to answer.";
const MESSAGES = {
  0: UNREACHABLE,
  401: "You are signed out. Sign in, then try again.",
  403: "You don't have permission, or the page has expired. Reload it.",
  404: "This no longer exists.",
  413: "Too much data.",
  429: "Too many requests. Wait a moment.",
};

// The message for an HTTP status (0: no answer).
export function failureMessage(status, { reading }) {
  const otherwise = reading
    ? "Couldn't load this."
    : "Something went wrong. Check whether this was saved.";
  return MESSAGES[status] ?? otherwise;
}

function showFailure(event, message) {
  const { requestConfig, xhr, pathInfo } = event.detail;
  clearBusy(xhr);
  if (xhr?.getResponseHeader("HX-Retarget")) return; // the response brings its own message
  if (xhr?.status === 429 && event.target.hidden) return; // names: their numbers stay on the page
  const address = requestConfig?.verb === "get" ? pathInfo?.finalRequestPath : null;
  showAlert(message ?? failureMessage(xhr?.status, { reading: isReading(event) }), address);
}

// More fields of a form are posted to be drawn, and change nothing either.
const isReading = ({ target, detail }) => detail.requestConfig?.verb === "get" || Boolean(target.matches?.("[data-draw]"));

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
  const time = readAt.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  note.append(make("span", { textContent: `Showing what was read at ${time}.` }));
  if (!find("#alerts a")) note.append(tryAgain(pathInfo.finalRequestPath, "button small"));
}

document.addEventListener("htmx:responseError", (event) => showFailure(event));
document.addEventListener("htmx:sendError", (event) => showFailure(event, UNREACHABLE));
document.addEventListener("htmx:timeout", (event) => showFailure(event, TOO_SLOW));
document.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.verb !== "get") event.detail.headers["X-CSRFToken"] = csrfToken();
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
