"""Numbers and dates as people type them, read by their own habit and never silently the other way.

A number that the other habit would read as a different number, such as "1.234" where the point is
the decimal mark, is refused with both ways of writing it plainly.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from dashboard.accounts.models import DayStyle, NumberStyle

POINT, COMMA = NumberStyle.POINT, NumberStyle.COMMA
DAY_FIRST, MONTH_FIRST = DayStyle.DAY_FIRST, DayStyle.MONTH_FIRST

MOST_DIGITS = 15  # more than JSON numbers carry exactly
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
WORDS = {"t": 0, "today": 0, "tod": 0, "tom": 1, "tomorrow": 1, "y": -1, "yesterday": -1}

_GAPS = re.compile("(?<=[0-9])['’\u00a0\u2009\u202f ](?=[0-9]{3}(?![0-9]))")  # noqa: RUF001
_NAMED = re.compile(
    r"(?:(?P<day>[0-9]{1,2})\.? (?P<month>[a-z]{3,9})|(?P<month2>[a-z]{3,9}) (?P<day2>[0-9]{1,2}))"
    r"(?:,? (?P<year>[0-9]{4}))?"
)


class NotReadable(ValueError):  # noqa: N818 - said to a person, as the gateway's errors are
    """What was typed is no number or date, or could be two; the message says what to type."""


@dataclass(frozen=True)
class Style:
    """How one person writes: which mark stands before the decimals, and what comes first in a date.

    `number` is POINT or COMMA, `day` is DAY_FIRST or MONTH_FIRST.
    """

    number: str = POINT
    day: str = DAY_FIRST

    @property
    def mark(self) -> str:
        """The decimal mark."""
        return "," if self.number == COMMA else "."

    @property
    def group(self) -> str:
        """The mark between thousands."""
        return "." if self.number == COMMA else ","


PLAIN = Style()


def read_number(text: str, style: Style = PLAIN) -> Decimal:
    """The exact number typed. Raises NotReadable with what to type instead."""
    body, sign = _bare(text)
    own = _value(body, style.mark, style.group)
    if own is None:
        raise NotReadable(_wrong_number(text, body, style))
    if sum(char.isdigit() for char in body) > MOST_DIGITS:
        raise NotReadable(f"Write a number of at most {MOST_DIGITS} digits.")
    if _is_double(body, style.mark):
        whole = body.replace(style.mark, "")
        raise NotReadable(
            f"“{text.strip()}” can be read in two ways. Write {whole}, or {body}0 for the decimals."
        )
    return -own if sign == "-" else own


def write_number(value: Decimal, style: Style = PLAIN, *, grouped: bool = False) -> str:
    """The number so that `read_number` with the same style gives it back; grouped is for reading.

    Three decimals that might pass for thousands get a zero more.
    """
    whole, _, decimals = f"{value.copy_abs():{',' if grouped else ''}f}".partition(".")
    body = whole.replace(",", style.group) + (style.mark + decimals if decimals else "")
    body += "0" if _is_double(body, style.mark) else ""
    return f"-{body}" if value < 0 else body


def read_date(text: str, today: date, style: Style = PLAIN) -> date:
    """The day meant: t, tom, +30, fri (the next one), 15, 15/3, 15 mar, 2026-03-15, ...

    Raises NotReadable with what to type instead.
    """
    typed = " ".join(text.lower().split())
    if typed in WORDS:
        return _moved(today, WORDS[typed])
    if re.fullmatch(r"[+-][0-9]{1,5}", typed):
        return _moved(today, int(typed))
    if (weekday := _index(typed, DAYS)) is not None:
        return _moved(today, (weekday - today.weekday() - 1) % 7 + 1)
    parts = _parts(typed, today, style)
    if parts is None:
        raise NotReadable(f"“{text.strip()}” is no date. Write {_examples(style)}.")
    return _day(*parts, text=text, style=style)


def write_date(value: date, style: Style = PLAIN) -> str:
    """The date with its year, so that `read_date` with the same style gives it back."""
    if style.day == MONTH_FIRST:
        return f"{value.month}/{value.day}/{value.year:04}"
    return f"{value.day}/{value.month}/{value.year:04}"


def spoken_date(value: date) -> str:
    """A date that nobody can take for another: Fri 14 Mar 2026."""
    weekday, month = DAYS[value.weekday()][:3], MONTHS[value.month - 1][:3]
    return f"{weekday.capitalize()} {value.day} {month.capitalize()} {value.year}"


def _bare(text: str) -> tuple[str, str]:
    """Digits and marks alone, and the sign; spaces and currency signs around are let go."""
    body = text.strip().replace("\u2212", "-")
    sign = "-" if body.startswith("-") else ""
    body = body.removeprefix("-").removeprefix("+")
    body = "".join(char for char in body if unicodedata.category(char) != "Sc").strip()
    if not sign and body.startswith("-"):
        sign, body = "-", body[1:]
    return _GAPS.sub("", body), sign


def _value(body: str, mark: str, group: str) -> Decimal | None:
    mark, group = re.escape(mark), re.escape(group)
    whole = rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})+)"
    found = re.fullmatch(rf"({whole})(?:{mark}([0-9]*))?|{mark}([0-9]+)", body)
    if not found:
        return None
    digits, decimals = re.sub(group, "", found[1] or "0"), found[2] or found[3]
    return Decimal(f"{digits}.{decimals}" if decimals else digits)


def _is_double(body: str, mark: str) -> bool:
    """Whether the other habit would take the decimals for thousands."""
    return bool(re.fullmatch(rf"[1-9][0-9]{{0,2}}{re.escape(mark)}[0-9]{{3}}", body))


def _wrong_number(text: str, body: str, style: Style) -> str:
    other = _value(body, style.group, style.mark)
    if other is None:
        return f"“{text.strip()}” is no number. Write a number such as {_sample(style)}."
    meant = write_number(other, style)
    return f"“{text.strip()}” is written the other way. If you mean {meant}, write it so."


def _sample(style: Style) -> str:
    return f"1234{style.mark}50"


def _examples(style: Style) -> str:
    return f"a date such as {'3/15' if style.day == MONTH_FIRST else '15/3'}, fri, +30 or t"


def _index(word: str, names: tuple[str, ...]) -> int | None:
    """Which of the names a word means that gives at least its first three letters."""
    return next(
        (i for i, name in enumerate(names) if len(word) > 2 and name.startswith(word)), None
    )


def _moved(today: date, days: int) -> date:
    try:
        return today + timedelta(days=days)
    except OverflowError:
        raise NotReadable("That is too far away.") from None


def _parts(typed: str, today: date, style: Style) -> tuple[int, int, int] | None:
    """(year, month, day) as typed, whether or not there is such a day."""
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


def _day(year: int, month: int, day: int, *, text: str, style: Style) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        pass
    if not 1 <= month <= 12:
        order = "month comes first" if style.day == MONTH_FIRST else "day comes first"
        raise NotReadable(f"There is no month {month} in “{text.strip()}”: the {order}.")
    raise NotReadable(f"There is no day {day} in {MONTHS[month - 1].capitalize()} {year}.")
