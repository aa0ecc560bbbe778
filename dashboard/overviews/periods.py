"""Time spans of figures, and records grouped by them: each record is in one group, those without a
date in a group of their own.
"""

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from dashboard.gateway import Record
from dashboard.text import dates
from dashboard.text.dates import A_DAY, SHORT_MONTHS

PERIODS = {
    "month": "This month",
    "quarter": "This quarter",
    "year": "This year",
    "12-months": "12 months",
}
DEFAULT_PERIOD = "12-months"
PAST, LATER, NO_DAY = "Past", "Later", "No day"
MONTHS_AHEAD = 4  # with the present one


class DaySpan(NamedTuple):
    """Days from the first to the last, both included."""

    first: date
    last: date

    @property
    def value(self) -> str:
        return dates.range_between(str(self.first), str(self.last))

    @property
    def words(self) -> str:
        return str(dates.DateRange(*self))

    @property
    def month(self) -> str:
        return f"{SHORT_MONTHS[self.first.month - 1]} {self.first.year}"

    def holds(self, day: date) -> bool:
        return self.first <= day <= self.last


def period_of(key: str, today: date) -> DaySpan:
    """Return the days of a key of PERIODS, up to today."""
    month = today.replace(day=1)
    firsts = {
        "month": month,
        "quarter": dates.quarter(today).first or today,
        "year": today.replace(month=1, day=1),
        "12-months": add_months(month, -11),
    }
    return DaySpan(firsts[key], today)


def months(span: DaySpan) -> list[DaySpan]:
    """Return the calendar months of a span, the first and last cut to it."""
    found, first = [], span.first
    while first <= span.last:
        following = add_months(first.replace(day=1), 1)
        found.append(DaySpan(first, min(following - A_DAY, span.last)))
        first = following
    return found


def year_before(span: DaySpan) -> DaySpan:
    """Return the same days a year earlier; the end of a month stays the end of it."""
    return DaySpan(_year_before(span.first), _year_before(span.last))


def weeks_ahead(today: date, count: int, first_weekday: int) -> list[DaySpan]:
    """Return the rest of the present week, and the following weeks."""
    first = dates.week(today, first_weekday).first or today
    starts = [first + 7 * number * A_DAY for number in range(count)]
    return [DaySpan(max(start, today), start + 6 * A_DAY) for start in starts]


def add_months(first: date, count: int) -> date:
    """Add months to a first day of a month."""
    years, month = divmod(first.month - 1 + count, 12)
    return date(first.year + years, month + 1, 1)


def _year_before(day: date) -> date:
    following = day + A_DAY
    if following.day == 1:
        return following.replace(year=following.year - 1) - A_DAY
    return day.replace(year=day.year - 1)


def by_month(documents: Iterable[Record], spans: Iterable[DaySpan]) -> list[list[Record]]:
    """Documents by the month of their date; those outside the spans are left out."""
    dated = [(each["transaction_date"], each) for each in documents]
    known = [(day, each) for day, each in dated if isinstance(day, date)]
    return [[each for day, each in known if span.holds(day)] for span in spans]


def by_close(deals: Iterable[Record], today: date) -> list[tuple[str, str, list[Record]]]:
    """Deals by the month of their expected close, each with the value of the filter of days that
    finds them: PAST before and LATER after the next months, and NO_DAY, which no filter finds.
    """
    last = add_months(today.replace(day=1), MONTHS_AHEAD) - A_DAY
    spans = months(DaySpan(today, last))
    days = {span.month: span.value for span in spans}
    days = {PAST: "past", **days, LATER: f"{last + A_DAY}.."}

    def label(record: Record) -> str:
        closes = record["deal_expected_close_date"]
        if not isinstance(closes, date):
            return NO_DAY
        if closes < today:
            return PAST
        return next((span.month for span in spans if span.holds(closes)), LATER)

    grouped: dict[str, list[Record]] = {month: [] for month in days}
    for each in deals:
        grouped.setdefault(label(each), []).append(each)
    return [(month, days.get(month, ""), them) for month, them in grouped.items()]
