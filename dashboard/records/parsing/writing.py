"""How dates and moments are written for people to read, the same for everybody."""

from datetime import date, datetime

from django.utils import timezone

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def day(value: date) -> str:
    """A date as 14 Mar 2026."""
    return f"{value.day} {MONTHS[value.month - 1]} {value.year}"


def moment(value: datetime) -> str:
    """A moment in the office's time zone as 14 Mar 2026, 15:00; one without a zone as it is."""
    if value.tzinfo:
        value = value.astimezone(timezone.get_default_timezone())
    return f"{day(value)}, {value.hour:02}:{value.minute:02}"
