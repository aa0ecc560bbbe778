// Date fields take text such as t, +30, fri or 15/3. Beside the field stand the day that the server reads
// (dashboard/text/dates.py) and the browser's calendar. Choosing a day there keeps a time that was typed.

import { make, onPage, SITE } from "page";

const TIME_AT_END = /\d{1,2}:\d{2}(:\d{2})?$/;

// The text of the field after a day was chosen: time is what the server last read, text what the field contained.
export function withTime(day, { time, text }) {
  return `${day} ${time || (text.match(TIME_AT_END)?.[0] ?? "")}`.trim();
}

class DayField {
  constructor(input) {
    this.input = input;
    this.time = "";
    this.echo = input.parentElement.querySelector("[data-day-echo]");
    this.calendar = this.addCalendar();
    input.addEventListener("change", () => this.showReading());
    if (input.value !== input.defaultValue) this.showReading(); // typed before this file was loaded
  }

  addCalendar() {
    const name = this.input.labels?.[0]?.textContent.trim() ?? this.input.getAttribute("aria-label") ?? "day";
    const calendar = make("input", { type: "date", className: "day-calendar", tabIndex: -1, ariaLabel: `Calendar: ${name}` });
    calendar.addEventListener("change", (event) => {
      event.stopPropagation(); // the field reports the change
      if (calendar.value) this.choose(calendar.value);
    });
    this.input.after(calendar);
    return calendar;
  }

  choose(day) {
    this.input.value = withTime(day, { time: this.time, text: this.input.value });
    this.input.dispatchEvent(new Event("change", { bubbles: true }));
    this.input.focus();
  }

  async showReading() {
    const text = this.input.value;
    if (!text.trim()) {
      this.show("", "");
      return;
    }
    try {
      const response = await fetch(`${SITE}day/?${new URLSearchParams({ text, kind: this.input.dataset.day })}`);
      const { said, iso, time } = await response.json();
      if (text === this.input.value) this.show(said, iso, time);
    } catch {
      if (text === this.input.value) this.show("", ""); // the server reads the text again when the form is submitted
    }
  }

  show(reading, iso, time = "") {
    this.time = time;
    this.echo.textContent = reading;
    this.echo.classList.toggle("day-wrong", Boolean(reading && !iso));
    this.calendar.value = iso;
  }
}

function addCalendars() {
  for (const input of document.querySelectorAll("#main [data-day]:enabled:not(:has(+ .day-calendar))")) new DayField(input);
}

onPage(addCalendars);
document.addEventListener("htmx:afterSettle", addCalendars);
