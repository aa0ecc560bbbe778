"""Reads the days that a person types into filters."""

from dataclasses import dataclass
from datetime import date

from .dates import format_date, read_date, spoken_date
from .style import NotReadable, Style

LONGEST = 40  # characters of a day as typed


@dataclass(frozen=True)
class TypedDay:
    """A day as typed. `wrong` says why it cannot be used, "" if it can."""

    typed: str = ""
    day: date | None = None
    wrong: str = ""

    @property
    def text(self) -> str:
        """What the field shows: the day as 14 Mar 2026, valid in every style, else the typed."""
        return format_date(self.day) if self.day and not self.wrong else self.typed

    @property
    def said(self) -> str:
        """What was understood, or why nothing was; "" for an empty field."""
        return self.wrong or (spoken_date(self.day) if self.day else "")


def read_typed_day(text: str, today: date, style: Style) -> TypedDay:
    """The day typed in any form that `read_date` parses."""
    typed = text.strip()[:LONGEST].strip()
    try:
        return TypedDay(typed, read_date(typed, today, style) if typed else None)
    except NotReadable as error:
        return TypedDay(typed, wrong=str(error))
