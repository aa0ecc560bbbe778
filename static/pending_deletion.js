// Counts down on the page of a pending deletion, then submits it. Leaving, reloading or returning to the page stops
// the countdown, and the deletion then waits for a button.

const line = document.querySelector("[data-countdown]");
const number = document.querySelector("[data-seconds]");
const waits = document.querySelector("[data-waits]");
const form = document.querySelector("form[data-pending-deletion]");
let timer;

// Whole seconds from now until end (both in ms), rounded up, at least 0.
export function secondsLeft(end, now) {
  return Math.max(Math.ceil((end - now) / 1000), 0);
}

function showCountdown(counting) {
  line.hidden = !counting;
  waits.hidden = counting;
}

function stop() {
  clearInterval(timer);
  timer = undefined;
}

function start() {
  const end = Date.now() + Number(line.dataset.countdown) * 1000;
  const tick = () => {
    const seconds = secondsLeft(end, Date.now());
    number.textContent = seconds;
    if (seconds > 0) return;
    stop();
    form.requestSubmit(); // without a submit button: the server then checks that the countdown is over
  };
  showCountdown(true);
  timer = setInterval(tick, 250);
}

function interrupt() {
  if (timer === undefined) return;
  stop();
  showCountdown(false);
}

if (line) {
  history.replaceState(history.state, "", location.pathname); // the query asks for the countdown: once only
  start();
  document.addEventListener("submit", stop, { capture: true });
  addEventListener("beforeunload", interrupt);
  addEventListener("pagehide", interrupt);
}
