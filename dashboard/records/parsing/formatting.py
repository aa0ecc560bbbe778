"""Formats dates and times for display, independent of the person's style."""

from datetime import date, datetime

from django.utils import timezone

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def format_date(value: date) -> str:
    """The date as 14 Mar 2026."""
    return f"{value.day} {MONTHS[value.month - 1]} {value.year}"


def format_datetime(value: datetime) -> str:
    """14 Mar 2026, 15:00; an aware datetime is converted to the default time zone first."""
    if value.tzinfo:
        value = value.astimezone(timezone.get_default_timezone())
    return f"{format_date(value)}, {value.hour:02}:{value.minute:02}"
