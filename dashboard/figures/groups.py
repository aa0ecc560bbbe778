"""Puts records into the groups that a figure draws, and adds up each: pure functions.

Every record is in exactly one group of a figure, so that the sums of the groups make the whole.
What a row does not tell, or tells in a form that cannot be read, has a group of its own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from dashboard.figures.periods import Span, add_months, months
from dashboard.gateway import Record
from dashboard.text.dates import A_DAY

Groups = dict[str, list[Record]]
NOT_DUE, NO_DUE_DATE = "Not due", "No due date"
AGES: Mapping[str, int | None] = {  # late by at most so many days
    "1 to 30 days": 30,
    "31 to 60 days": 60,
    "61 to 90 days": 90,
    "Over 90 days": None,
}
AGE_TONES = dict(zip([NOT_DUE, *AGES], ("b0", "b1", "b2", "b3", "b4"), strict=True))
PAST, LATER, NO_DAY = "Past", "Later", "No day"
MONTHS_AHEAD = 4  # with the present one


@dataclass(frozen=True)
class Added:
    """What records add up to, how many they are, and how many of them do not say the amount."""

    amount: Decimal
    count: int
    untold: int


def added(records: Sequence[Record], field: str) -> Added:
    """The sum of one amount of records, which are of one currency."""
    amounts = [amount for each in records if isinstance(amount := each[field], Decimal)]
    return Added(sum(amounts, Decimal(0)), len(records), len(records) - len(amounts))


def by_age(invoices: Iterable[Record], today: date) -> Groups:
    """Open invoices by how late they are; those without a due date last, where there are any."""
    return _grouped(invoices, lambda each: age_of(each["due_date"], today), [NOT_DUE, *AGES])


def age_of(due: object, today: date) -> str:
    """How late what is due on a day is."""
    if not isinstance(due, date):
        return NO_DUE_DATE
    late = (today - due).days
    if late <= 0:
        return NOT_DUE
    return next(label for label, most in AGES.items() if most is None or late <= most)


def due_between(age: str, today: date) -> tuple[date | None, date | None] | None:
    """The first and last due day of an age, None for an open end; None for no due date."""
    if age == NOT_DUE:
        return today, None
    if age not in AGES:
        return None
    labels = list(AGES)
    before = labels[labels.index(age) - 1] if age != labels[0] else ""
    newest = today - ((AGES.get(before) or 0) + 1) * A_DAY
    most = AGES[age]
    return (today - most * A_DAY if most else None), newest


def by_customer(invoices: Iterable[Record], field: str) -> list[tuple[int, list[Record]]]:
    """Invoices by the id of their customer, 0 where it is not readable; the largest sum first."""
    groups: dict[int, list[Record]] = {}
    for each in invoices:
        customer = each["customer_id"]
        is_known = isinstance(customer, int) and customer > 0
        groups.setdefault(customer if is_known else 0, []).append(each)
    return sorted(groups.items(), key=lambda one: (-added(one[1], field).amount, one[0]))


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

    grouped = _grouped(deals, label, days)
    return [(month, days.get(month, ""), them) for month, them in grouped.items()]


def _grouped(
    records: Iterable[Record], label_of: Callable[[Record], str], labels: Iterable[str]
) -> Groups:
    """The records by their label: those of `labels` in order, others where there are any."""
    groups: Groups = {label: [] for label in labels}
    for each in records:
        groups.setdefault(label_of(each), []).append(each)
    return groups
