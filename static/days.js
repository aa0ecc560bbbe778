// Days typed as t, +30, fri, 15/3: which day is meant is said beside the field, and the browser's
// own calendar stands ready. The server reads the text either way (records/reading.py).

class Day {
  constructor(input) {
    this.input = input;
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
      this.input.value = calendar.value;
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
      const answer = await fetch(`/day/?text=${encodeURIComponent(text)}`);
      const { said, iso } = await answer.json();
      if (text === this.input.value) this.show(said, iso);
    } catch {
      this.show("", ""); // the server reads it when the form is sent
    }
    return undefined;
  }

  show(said, iso) {
    this.echo.textContent = said;
    this.echo.classList.toggle("day-wrong", Boolean(said && !iso));
    this.calendar.value = iso;
  }
}

for (const input of document.querySelectorAll("[data-day]")) if (!input.disabled) new Day(input);
