"""The dates of a recurrence. The day of the month of the first date is kept: after 31 Jan come 28
Feb and 31 Mar.
"""

from calendar import monthrange
from datetime import date, timedelta

WEEKLY, MONTHLY, QUARTERLY, YEARLY = "weekly", "monthly", "quarterly", "yearly"
FREQUENCY_LABELS = {WEEKLY: "Every week", MONTHLY: "Every month"}
FREQUENCY_LABELS |= {QUARTERLY: "Every quarter", YEARLY: "Every year"}
MONTHS = {MONTHLY: 1, QUARTERLY: 3, YEARLY: 12}  # between two days


def nth(begins: date, frequency: str, number: int) -> date:
    """Return the date after `number` repetitions, 0 for the first."""
    if frequency == WEEKLY:
        return begins + timedelta(weeks=number)
    years, month = divmod(begins.month - 1 + number * MONTHS[frequency], 12)
    year, month = begins.year + years, month + 1
    return date(year, month, min(begins.day, monthrange(year, month)[1]))


def next_after(begins: date, frequency: str, day: date) -> date:
    """Return the first date of the recurrence after `day`."""
    number = 0
    while (found := nth(begins, frequency, number)) <= day:
        number += 1
    return found


def falls_on(begins: date, frequency: str, day: date) -> bool:
    """Return whether the day is a date of the recurrence."""
    return next_after(begins, frequency, day - timedelta(1)) == day
