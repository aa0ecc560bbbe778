"""Spans of dates by the words that people use for them: "this month", or two days."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from dashboard.records.parsing.writing import day

WORDS: Mapping[str, str] = {
    "today": "Today",
    "this-week": "This week",
    "this-month": "This month",
    "last-month": "Last month",
    "this-quarter": "This quarter",
}
A_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Span:
    """First and last day, both included; None for an open end."""

    first: date | None
    last: date | None

    def __str__(self) -> str:
        """In words: 1 Mar 2026 to 31 Mar 2026."""
        if self.first and self.last:
            return f"{day(self.first)} to {day(self.last)}"
        return f"from {day(self.first)}" if self.first else f"until {day(self.last or date.max)}"


def read(text: str, today: date) -> Span | None:
    """The span that an address says: a word of `WORDS`, or 2026-03-01..2026-03-31 with either end
    left out. None for anything else. Weeks begin on Monday.
    """
    if text in WORDS:
        return _SPANS[text](today)
    first, dots, last = text.partition("..")
    ends = [_date(part) if part else None for part in (first, last)]
    if not dots or not any(ends) or (first and not ends[0]) or (last and not ends[1]):
        return None
    return None if ends[0] and ends[1] and ends[0] > ends[1] else Span(*ends)


def words(text: str, today: date) -> str:
    """What a span is called on its chip."""
    return WORDS.get(text) or str(read(text, today) or "")


def between(first: str, last: str) -> str:
    """Two typed days as an address says them; "" if there is none."""
    return f"{first}..{last}" if first or last else ""


def month(today: date) -> Span:
    """The month a day is in."""
    first = today.replace(day=1)
    return Span(first, (first + 31 * A_DAY).replace(day=1) - A_DAY)


def quarter(today: date) -> Span:
    """The quarter of the calendar year a day is in."""
    first = today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1)
    return Span(first, month(first + 62 * A_DAY).last)


def _week(today: date) -> Span:
    monday = today - today.weekday() * A_DAY
    return Span(monday, monday + 6 * A_DAY)


def _last_month(today: date) -> Span:
    return month(today.replace(day=1) - A_DAY)


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None


_SPANS: Mapping[str, Callable[[date], Span]] = {
    "today": lambda today: Span(today, today),
    "this-week": _week,
    "this-month": month,
    "last-month": _last_month,
    "this-quarter": quarter,
}
