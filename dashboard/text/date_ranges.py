"""Parses date ranges: a name such as "this-month", or a first and a last day."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from .dates import format_date, iso_date
from .style import PLAIN, Style

WORDS: Mapping[str, str] = {
    "today": "Today",
    "this-week": "This week",
    "this-month": "This month",
    "last-month": "Last month",
    "this-quarter": "This quarter",
    "past": "Before today",
}
A_DAY = timedelta(days=1)


@dataclass(frozen=True)
class DateRange:
    """A range of dates, first and last day included; None for an open end."""

    first: date | None
    last: date | None

    def __str__(self) -> str:
        """1 Mar 2026 to 31 Mar 2026."""
        if self.first and self.last:
            return f"{format_date(self.first)} to {format_date(self.last)}"
        if self.first:
            return f"from {format_date(self.first)}"
        return f"until {format_date(self.last or date.max)}"


def read(text: str, today: date, style: Style = PLAIN) -> DateRange | None:
    """The range that a query parameter names: a key of `WORDS`, or 2026-03-01..2026-03-31, either
    end of which may be left out. None for anything else.
    """
    if text == "this-week":
        return week(today, style.first_weekday)
    if text in WORDS:
        return _RANGES[text](today)
    first, dots, last = text.partition("..")
    ends = [iso_date(part) if part else None for part in (first, last)]
    if not dots or not any(ends) or (first and not ends[0]) or (last and not ends[1]):
        return None
    return None if ends[0] and ends[1] and ends[0] > ends[1] else DateRange(*ends)


def words(text: str, today: date) -> str:
    """The label of a range on its filter chip."""
    return WORDS.get(text) or str(read(text, today) or "")


def between(first: str, last: str) -> str:
    """The query parameter for two ISO dates, either of which may be ""; "" if both are."""
    return f"{first}..{last}" if first or last else ""


def week(today: date, first_weekday: int = 0) -> DateRange:
    """The week that contains `today`; `first_weekday` as date.weekday counts."""
    first = today - (today.weekday() - first_weekday) % 7 * A_DAY
    return DateRange(first, first + 6 * A_DAY)


def month(today: date) -> DateRange:
    """The calendar month that contains `today`."""
    first = today.replace(day=1)
    return DateRange(first, (first + 31 * A_DAY).replace(day=1) - A_DAY)


def quarter(today: date) -> DateRange:
    """The calendar quarter that contains `today`."""
    first = today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1)
    return DateRange(first, month(first + 62 * A_DAY).last)


def _last_month(today: date) -> DateRange:
    return month(today.replace(day=1) - A_DAY)


_RANGES: Mapping[str, Callable[[date], DateRange]] = {
    "today": lambda today: DateRange(today, today),
    "this-month": month,
    "last-month": _last_month,
    "this-quarter": quarter,
    "past": lambda today: DateRange(None, today - A_DAY),
}
