"""Parses and writes dates in a person's style; formats dates and times for display."""

import re
from datetime import date, datetime, timedelta

from django.utils import timezone

from dashboard.records.parsing.style import MONTH_FIRST, PLAIN, NotReadable, Style

SHORT_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
WORDS = {"t": 0, "today": 0, "tod": 0, "tom": 1, "tomorrow": 1, "y": -1, "yesterday": -1}
_NAMED = re.compile(
    r"(?:(?P<day>[0-9]{1,2})\.? (?P<month>[a-z]{3,9})|(?P<month2>[a-z]{3,9}) (?P<day2>[0-9]{1,2}))"
    r"(?:,? (?P<year>[0-9]{4}))?"
)


def read_date(text: str, today: date, style: Style = PLAIN) -> date:
    """The date typed: t, tom, +30, fri (the next one), 15, 15/3, 15 mar, 2026-03-15, ...

    Raises NotReadable, whose message says what to type instead.
    """
    typed = " ".join(text.lower().split())
    if typed in WORDS:
        return _add_days(today, WORDS[typed])
    if re.fullmatch(r"[+-][0-9]{1,5}", typed):
        return _add_days(today, int(typed))
    if (weekday := _index(typed, DAYS)) is not None:
        return _add_days(today, (weekday - today.weekday() - 1) % 7 + 1)
    parts = _parts(typed, today, style)
    if parts is None:
        raise NotReadable(f"“{text.strip()}” is not a date. Write {_examples(style)}.")
    return _checked_date(*parts, text=text, style=style)


def spoken_date(value: date) -> str:
    """The date with its weekday and the month as a word: Fri 14 Mar 2026."""
    weekday, month = DAYS[value.weekday()][:3], MONTHS[value.month - 1][:3]
    return f"{weekday.capitalize()} {value.day} {month.capitalize()} {value.year}"


def _examples(style: Style) -> str:
    return f"a date such as {'3/15' if style.day == MONTH_FIRST else '15/3'}, fri, +30 or t"


def _index(word: str, names: tuple[str, ...]) -> int | None:
    """The index of the name that begins with `word`; None if `word` has fewer than 3 letters."""
    return next(
        (i for i, name in enumerate(names) if len(word) > 2 and name.startswith(word)), None
    )


def _add_days(today: date, days: int) -> date:
    try:
        return today + timedelta(days=days)
    except OverflowError:
        raise NotReadable("That is too far away.") from None


def _parts(typed: str, today: date, style: Style) -> tuple[int, int, int] | None:
    """(year, month, day) as typed; the date may not exist."""
    if re.fullmatch("[0-9]{1,2}", typed):
        return today.year, today.month, int(typed)
    if found := re.fullmatch(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})", typed):
        return int(found[1]), int(found[2]), int(found[3])
    if found := _NAMED.fullmatch(typed):
        month = _index(found["month"] or found["month2"], MONTHS)
        year = int(found["year"] or today.year)
        return None if month is None else (year, month + 1, int(found["day"] or found["day2"]))
    return _numeric(typed, today, style)


def _numeric(typed: str, today: date, style: Style) -> tuple[int, int, int] | None:
    found = re.fullmatch(r"([0-9]{1,2})([/.-])([0-9]{1,2})(?:\2([0-9]{4}|[0-9]{2}))?\.?", typed)
    if not found:
        return None
    first, second = int(found[1]), int(found[3])
    year = int(found[4]) if found[4] else today.year
    year += 2000 if len(found[4] or "") == 2 else 0
    month_first = style.day == MONTH_FIRST
    return (year, first, second) if month_first else (year, second, first)


def _checked_date(year: int, month: int, day: int, *, text: str, style: Style) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        pass
    if not 1 <= month <= 12:
        order = "month comes first" if style.day == MONTH_FIRST else "day comes first"
        raise NotReadable(f"There is no month {month} in “{text.strip()}”: the {order}.")
    raise NotReadable(f"There is no day {day} in {MONTHS[month - 1].capitalize()} {year}.")


def format_date(value: date) -> str:
    """The date as 14 Mar 2026."""
    return f"{value.day} {SHORT_MONTHS[value.month - 1]} {value.year}"


def format_datetime(value: datetime) -> str:
    """14 Mar 2026, 15:00; an aware datetime is converted to the default time zone first."""
    if value.tzinfo:
        value = value.astimezone(timezone.get_default_timezone())
    return f"{format_date(value)}, {value.hour:02}:{value.minute:02}"
