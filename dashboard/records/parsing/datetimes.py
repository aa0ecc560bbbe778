"""A day with a time, as people type it: tom 15:00, 15/3 9:30, fri 3 pm, 2026-03-15T09:30:00.

No time zone, neither read nor written: the service keeps these as written (reference, "Task").
"""

import re
from datetime import date, datetime, time
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from dashboard.records.display import cells
from dashboard.records.forms.inputs import DayInput
from dashboard.records.parsing.reading import PLAIN, NotReadable, Style, read_date, spoken_date

TIME = re.compile(
    r"(?:at )?(?P<hour>[0-9]{1,2})(?:[:h](?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?)?"
    r" ?(?P<half>am|pm)?",
    re.IGNORECASE,
)
MORNING = time(9)


def read_time(text: str) -> time | None:
    """15:00, 9:30:15, 15h30, 3pm, 3:15 pm; None for anything else, a bare number included."""
    found = TIME.fullmatch(text.strip())
    if not found or not (found["minute"] or found["half"]):
        return None
    hour, half = int(found["hour"]), (found["half"] or "").lower()
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    try:
        return time(hour, int(found["minute"] or 0), int(found["second"] or 0))
    except ValueError:
        return None


def read_moment(text: str, today: date, style: Style = PLAIN, *, at: time = MORNING) -> datetime:
    """The moment meant; a day alone is at `at`, a time alone is today. Raises NotReadable."""
    words = " ".join(re.sub(r"(?<=[0-9])T(?=[0-9])", " ", text).replace(",", " ").split())
    # The time is the last word, or the last two: "3 pm".
    for count in (2, 1):
        pieces = words.rsplit(" ", count)
        end = " ".join(pieces[-count:])
        moment = read_time(end)
        if moment is not None:
            day = words[: len(words) - len(end)].strip().removesuffix(" at").strip()
            return datetime.combine(read_date(day, today, style) if day else today, moment)
    return datetime.combine(read_date(words, today, style), at)


def written(value: datetime) -> str:
    """14 Mar 2026, 15:00: reads the same everywhere, and `read_moment` gives it back."""
    return f"{cells.day(value)}, {value:%H:%M:%S}" if value.second else cells.moment(value)


class MomentField(forms.Field):
    """A day with a time; cleans to a datetime without zone, or None."""

    def __init__(self, **kwargs: Any):
        attrs = {"autocomplete": "off", "class": "moment", "data-day": "moment"}
        super().__init__(**{"widget": DayInput(attrs=attrs), **kwargs})
        self.style = PLAIN

    def read_by(self, style: Style) -> None:
        """Read days in this style from now on."""
        self.style = style

    def shown(self, value: object, style: Style) -> str:
        """A value of a record as this field shows it."""
        return written(value) if isinstance(value, datetime) else str(value or "")

    def prepare_value(self, value: object) -> object:
        """A moment to begin with, written out; what was typed stays as it is."""
        return written(value) if isinstance(value, datetime) else value

    def to_python(self, value: object) -> datetime | None:
        """The moment typed."""
        text = str(value or "").strip()
        try:
            return read_moment(text, timezone.localdate(), self.style) if text else None
        except NotReadable as error:
            words = f"{error} Add a time, such as 15:00." if "date such as" in str(error) else error
            raise ValidationError(str(words), code="invalid") from None


def moment_echo(text: str, style: Style) -> tuple[str, str, str]:
    """(Fri 14 Mar 2026, 15:00; 2026-03-14; 15:00) for what was typed; raises NotReadable."""
    meant = read_moment(text, timezone.localdate(), style)
    return f"{spoken_date(meant.date())}, {meant:%H:%M}", meant.date().isoformat(), f"{meant:%H:%M}"
