// Reminders of tasks: ten minutes before one is due a toast says so, and a notification of the browser where the person has
// allowed that. All tabs share what they know in localStorage (ids and times, no words): one of them asks every five
// minutes, and one, the visible one if there is any, says it.

import { announce } from "live_regions";
import { find, make, SITE } from "page";
import { makeRoom } from "toast";

export const BEFORE = 10 * 60_000; // ms before a task is due
const EVERY = 5 * 60_000; // between two questions of a browser
const SOON = 20_000; // the same on the pages of tasks, which change them
const GRACE = 3_000; // for the visible tab to be first, and to count as seen
const KEY = "tasks-due";
const NOTHING = { person: "", asked: 0, due: [], told: {} };

// The known tasks [id, ms] of which nobody was told at this moment, which are due soon and not over.
export function dueNow({ due, told }, now) {
  return due.filter(([id, at]) => at - BEFORE <= now && now < at && !told[`${id}@${at}`]);
}

// ms until something is to be said or asked.
export function nextWait({ due, told, asked }, now, every = EVERY) {
  const times = due.filter(([id, at]) => at > now && !told[`${id}@${at}`]).map(([, at]) => at - BEFORE);
  return Math.max(0, Math.min(asked + every, ...times) - now);
}

// What is told is kept for as long as the task may come again.
export function withAnswer(state, due, now) {
  const told = Object.entries(state.told).filter(([key]) => Number(key.split("@")[1]) > now);
  return { ...state, due, told: Object.fromEntries(told) };
}

const session = find("meta[name=session]");
const URL_OF_TIMES = `${SITE}tasks/due/`;
const every = location.pathname.includes("/tasks/") ? SOON : EVERY;
const waitOf = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function read() {
  try {
    const state = JSON.parse(localStorage.getItem(KEY));
    return state?.person === session.dataset.person ? state : { ...NOTHING, person: session.dataset.person };
  } catch {
    return undefined; // the browser may forbid storage: no tab could know what another has said
  }
}

function change(values) {
  localStorage.setItem(KEY, JSON.stringify({ ...read(), ...values }));
}

async function load(address) {
  const response = await fetch(address, { headers: { "X-Background": "1" }, redirect: "manual" }).catch(() => null);
  return response?.status === 200 ? response : null;
}

async function ask() {
  change({ asked: Date.now() });
  const response = await load(URL_OF_TIMES);
  if (response) change(withAnswer(read(), (await response.json()).due, Date.now()));
}

function notify(toast, key) {
  if (globalThis.Notification?.permission !== "granted" || document.hasFocus()) return;
  const shown = new Notification(toast.dataset.due, { body: toast.dataset.dueWords, tag: key });
  shown.addEventListener("click", () => {
    globalThis.focus();
    toast.querySelector("a").click();
  });
}

function place() {
  const section = find("section.toasts") ?? make("section", { className: "toasts", ariaLabel: "Reminders" });
  if (!section.isConnected) {
    document.body.append(section);
    makeRoom(section);
  }
  return section;
}

function show(html, key) {
  const holder = make("template", { innerHTML: html });
  const toast = holder.content.querySelector(".toast");
  const taken = find('[data-key="d"]') && toast.querySelector("[data-key]");
  if (taken) {
    taken.querySelector("kbd").remove(); // the page has its own d
    taken.removeAttribute("data-key");
  }
  place().append(toast);
  announce(`${toast.dataset.due}. ${toast.dataset.dueWords}.`);
  notify(toast, key);
  return toast;
}

// Says it, unless another tab does. A page that is left at once was not read: the next one says it again.
async function tell([id, at]) {
  const key = `${id}@${at}`;
  if (document.hidden) await waitOf(GRACE);
  if (read().told[key]) return;
  change({ told: { ...read().told, [key]: true } });
  const back = encodeURIComponent(location.pathname + location.search);
  const response = await load(`${URL_OF_TIMES}${id}/?at=${at}&back=${back}`);
  if (!response) return;
  show(await response.text(), key);
  const forget = () => change({ told: { ...read().told, [key]: undefined } });
  addEventListener("pagehide", forget);
  setTimeout(() => removeEventListener("pagehide", forget), GRACE);
}

async function goOn() {
  const state = read();
  if (!state) return;
  if (state.asked + every <= Date.now()) await ask();
  await Promise.all(dueNow(read(), Date.now()).map(tell));
  setTimeout(goOn, Math.max(1_000, nextWait(read(), Date.now(), every)));
}

// The page of the settings: what the browser says about notifications, and the button that asks for them.
const ANSWERS = {
  default: "Notifications aren't set up in this browser.",
  denied: "This browser blocks notifications from Entry Desk. You can change that in its settings.",
  granted: "This browser shows notifications.",
};

function showPermission(button) {
  const answer = globalThis.Notification?.permission;
  find("#notifications").textContent = ANSWERS[answer] ?? "This browser doesn't support notifications.";
  button.hidden = answer !== "default";
}

const asking = find("[data-notify]");
if (asking) showPermission(asking);
asking?.addEventListener("click", async () => {
  await Notification.requestPermission();
  showPermission(asking);
});
if (session?.matches("[data-reminds]")) goOn();
