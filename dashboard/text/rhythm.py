"""The days on which something repeats. The day of the month with which it begins is kept: what
begins on 31 Jan comes on 28 Feb and on 31 Mar.
"""

from calendar import monthrange
from datetime import date, timedelta

WEEKLY, MONTHLY, QUARTERLY, YEARLY = "weekly", "monthly", "quarterly", "yearly"
WORDS = {
    WEEKLY: "Every week",
    MONTHLY: "Every month",
    QUARTERLY: "Every quarter",
    YEARLY: "Every year",
}
MONTHS = {MONTHLY: 1, QUARTERLY: 3, YEARLY: 12}  # between two days


def nth(begins: date, rhythm: str, number: int) -> date:
    """The day after so many repetitions, 0 for the first. Raises ValueError or OverflowError beyond
    the year 9999.
    """
    if rhythm == WEEKLY:
        return begins + timedelta(weeks=number)
    years, month = divmod(begins.month - 1 + number * MONTHS[rhythm], 12)
    year, month = begins.year + years, month + 1
    return date(year, month, min(begins.day, monthrange(year, month)[1]))


def next_after(begins: date, rhythm: str, day: date) -> date:
    """The first of the days after this one. Raises as `nth`."""
    number = max(0, _number_near(begins, rhythm, day))
    while (found := nth(begins, rhythm, number)) <= day:
        number += 1
    return found


def falls_on(begins: date, rhythm: str, day: date) -> bool:
    """Whether the day is one of them."""
    return day >= begins and next_after(begins, rhythm, day - timedelta(1)) == day


def count_between(begins: date, rhythm: str, first: date, last: date) -> int:
    """How many of the days come after `first`, until `last`."""
    count, day = 0, next_after(begins, rhythm, first)
    while day <= last:
        count, day = count + 1, next_after(begins, rhythm, day)
    return count


def _number_near(begins: date, rhythm: str, day: date) -> int:
    """The number of the last day that is not after this one, or of the one before that."""
    if rhythm == WEEKLY:
        return (day - begins).days // 7
    months = (day.year - begins.year) * 12 + day.month - begins.month
    return months // MONTHS[rhythm] - 1
