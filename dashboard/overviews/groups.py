"""Puts records into the groups that a figure draws, and adds up each: pure functions.

Every record is in exactly one group of a figure, so that the sums of the groups make the whole.
What a row does not tell, or tells in a form that cannot be read, has a group of its own.
"""

from collections.abc import Iterable
from datetime import date

from dashboard.gateway import Record
from dashboard.overviews.periods import Span, add_months, months
from dashboard.text.dates import A_DAY

PAST, LATER, NO_DAY = "Past", "Later", "No day"
MONTHS_AHEAD = 4  # with the present one


def by_month(documents: Iterable[Record], spans: Iterable[Span]) -> list[list[Record]]:
    """Documents by the month of their date; what lies in none of the spans is left out."""
    dated = [(each["transaction_date"], each) for each in documents]
    known = [(day, each) for day, each in dated if isinstance(day, date)]
    return [[each for day, each in known if span.holds(day)] for span in spans]


def by_close(deals: Iterable[Record], today: date) -> list[tuple[str, str, list[Record]]]:
    """Deals by the month of their expected close, each with the value of the filter of days that
    finds them: PAST before and LATER after the next months, and NO_DAY, which no filter finds.
    """
    last = add_months(today.replace(day=1), MONTHS_AHEAD) - A_DAY
    spans = months(Span(today, last))
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
