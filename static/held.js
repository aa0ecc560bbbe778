// Counts down on the page of a held deletion and then sends it. Only while this very page is open, and only once:
// who leaves it, reloads it or comes back to it finds a deletion that waits.

const line = document.querySelector("[data-countdown]");
const number = document.querySelector("[data-seconds]");
const waits = document.querySelector("[data-waits]");
const form = document.querySelector("form[data-held]");
let timer;

function show(counting) {
  line.hidden = !counting;
  waits.hidden = counting;
}

function stop() {
  clearInterval(timer);
  timer = undefined;
}

function begin() {
  const ends = Date.now() + Number(line.dataset.countdown) * 1000;
  const tick = () => {
    const left = Math.ceil((ends - Date.now()) / 1000);
    number.textContent = Math.max(left, 0);
    if (left > 0) return;
    stop();
    form.requestSubmit(); // without a button: the server checks that it is time
  };
  show(true);
  timer = setInterval(tick, 250);
}

history.replaceState(history.state, "", location.pathname); // a reload, or coming back, does not count again
begin();

function interrupted() {
  if (timer === undefined) return;
  stop();
  show(false);
}

document.addEventListener("submit", stop, { capture: true });
addEventListener("beforeunload", interrupted);
addEventListener("pagehide", interrupted);
