// Days typed as t, +30, fri, 15/3: which day is meant is said beside the field, and the browser's
// own calendar stands ready; choosing a day there keeps the time that was typed behind one. The
// server reads the text either way (records/reading.py, records/moments.py).

const WRITTEN_TIME = /\d{1,2}:\d{2}(:\d{2})?$/; // of a moment that the page began with

class Day {
  constructor(input) {
    this.input = input;
    this.time = "";
    this.echo = input.parentElement.querySelector("[data-day-echo]");
    this.calendar = this.addCalendar();
    input.addEventListener("change", () => this.say());
  }

  addCalendar() {
    const calendar = document.createElement("input");
    calendar.type = "date";
    calendar.className = "day-calendar";
    calendar.tabIndex = -1;
    calendar.setAttribute("aria-label", `Calendar: ${this.input.labels?.[0]?.textContent.trim() ?? "day"}`);
    calendar.addEventListener("change", () => {
      if (!calendar.value) return;
      const time = this.time || (this.input.value.match(WRITTEN_TIME)?.[0] ?? "");
      this.input.value = `${calendar.value} ${time}`.trim();
      this.input.dispatchEvent(new Event("change", { bubbles: true }));
      this.input.focus();
    });
    this.input.after(calendar);
    return calendar;
  }

  async say() {
    const text = this.input.value;
    if (!text.trim()) return this.show("", "");
    try {
      const answer = await fetch(`/day/?${new URLSearchParams({ text, kind: this.input.dataset.day })}`);
      const { said, iso, time } = await answer.json();
      if (text === this.input.value) this.show(said, iso, time);
    } catch {
      this.show("", ""); // the server reads it when the form is sent
    }
    return undefined;
  }

  show(said, iso, time = "") {
    this.time = time;
    this.echo.textContent = said;
    this.echo.classList.toggle("day-wrong", Boolean(said && !iso));
    this.calendar.value = iso;
  }
}

for (const input of document.querySelectorAll("[data-day]")) if (!input.disabled) new Day(input);
