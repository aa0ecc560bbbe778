"""Converts JSON values of the service to Python values, by the declared kind of the field.

The service sends numbers as numbers or decimal strings, and ids as integers or digit strings. A
value that cannot be converted becomes `Unreadable`; no function here raises an exception.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

from .fields import FieldKind

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}\Z")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})\Z")
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].*)?\Z")
_LARGEST = 10**18
MOST_ITEMS = 1_000  # of a list of ids or texts
_WORDS = {"1": True, "0": False, "true": True, "false": False}


class Unreadable:
    """A value that does not fit the kind of its field. `raw` is the value as it was received.

    It is false, and its text can be shown on a page.
    """

    __slots__ = ("raw",)

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return "not readable"

    def __repr__(self) -> str:
        return "<Unreadable>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unreadable) and self.raw == other.raw

    def __hash__(self) -> int:
        """One hash for all instances, because `raw` may be an unhashable list or dict."""
        return hash(Unreadable)


def to_text(raw: Any) -> Any:
    """A str, also from a number."""
    if isinstance(raw, str):
        return raw
    if isinstance(raw, int) and not isinstance(raw, bool):
        return str(raw)  # phone and lead numbers may be sent as numbers
    return str(raw) if isinstance(raw, Decimal) else Unreadable(raw)


def to_integer(raw: Any) -> Any:
    """An int of at most 18 digits, also from digits, from a Decimal without a fraction, or from the
    `id` of an object, as which services send users and stages.
    """
    if isinstance(raw, dict) and "id" in raw:
        return Unreadable(raw) if isinstance(raw["id"], dict) else to_integer(raw["id"])
    if type(raw) is int:
        return raw if -_LARGEST < raw < _LARGEST else Unreadable(raw)
    if isinstance(raw, str):
        text = raw.strip()
        return int(text) if _INTEGER.match(text) else Unreadable(raw)
    if isinstance(raw, Decimal) and _has_few_digits(raw) and raw == raw.to_integral_value():
        return int(raw)
    return Unreadable(raw)


def to_number(raw: Any) -> Any:
    """A Decimal, from a number or from a decimal string."""
    if isinstance(raw, Decimal):
        return raw if _has_few_digits(raw) else Unreadable(raw)
    if type(raw) is int:
        return Decimal(raw) if -_LARGEST < raw < _LARGEST else Unreadable(raw)
    if isinstance(raw, str) and _NUMBER.match(text := raw.strip()):
        return Decimal(text)
    return Unreadable(raw)


def _has_few_digits(number: Decimal) -> bool:
    """Whether the number is printed in few digits."""
    return number.is_finite() and -20 <= number.adjusted() < 18


def to_boolean(raw: Any) -> Any:
    """A bool, also from 0, 1, "0", "1", "true" and "false"."""
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, int | str):
        return _WORDS.get(str(raw).strip().lower(), Unreadable(raw))
    return Unreadable(raw)


def to_date(raw: Any) -> Any:
    """A date; of a moment with a zone, the day of it in the time zone of this process, which Django
    sets to TIME_ZONE. A time without a zone is ignored, and a midnight in any zone, which is how
    many services write a plain date.
    """
    if not isinstance(raw, str) or not _ISO_DATE.match(raw):
        return Unreadable(raw)
    day, moment = raw[:10], None if len(raw) == 10 else _moment(raw)
    try:
        if isinstance(moment, datetime) and moment.tzinfo and moment.time() != time.min:
            return moment.astimezone().date()
        return date.fromisoformat(day)
    except (ValueError, OverflowError):
        return Unreadable(raw)


def to_datetime(raw: Any) -> Any:
    """A naive datetime: the clock as it was written. Task times have no zone in the reference and
    are sent without one, so a zone that a service adds says nothing about what was typed.
    """
    moment = _moment(raw)
    return moment.replace(tzinfo=None) if isinstance(moment, datetime) else moment


def to_timestamp(raw: Any) -> Any:
    """An aware datetime in UTC. A timestamp without a zone is in UTC (reference)."""
    moment = _moment(raw)
    if not isinstance(moment, datetime):
        return moment
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # within a day of year 1 or 9999
        return Unreadable(raw)


def _moment(raw: Any) -> Any:
    if not isinstance(raw, str) or not _ISO_DATE.match(raw):
        return Unreadable(raw)
    try:
        return datetime.fromisoformat(raw)
    except ValueError:
        return Unreadable(raw)


def to_integers(raw: Any) -> Any:
    """A tuple of at most MOST_ITEMS ints, from a list of ids or of objects with an `id` (tags come
    as both).
    """
    if not isinstance(raw, list) or len(raw) > MOST_ITEMS:
        return Unreadable(raw)
    ids = tuple(to_integer(item.get("id") if isinstance(item, dict) else item) for item in raw)
    return Unreadable(raw) if any(isinstance(item, Unreadable) for item in ids) else ids


def to_strings(raw: Any) -> Any:
    """A tuple of at most MOST_ITEMS str."""
    if not isinstance(raw, list) or len(raw) > MOST_ITEMS:
        return Unreadable(raw)
    texts = tuple(to_text(item) for item in raw)
    return Unreadable(raw) if any(isinstance(text, Unreadable) for text in texts) else texts


def to_object(raw: Any) -> Any:
    """A dict. An empty list counts as an empty object, as some services send it for one."""
    if isinstance(raw, dict):
        return raw
    return {} if raw == [] else Unreadable(raw)


def to_lines(raw: Any) -> Any:
    """A tuple of dicts, one for each line item. `Record.lines` gives them as records."""
    whole = isinstance(raw, list) and all(isinstance(line, dict) for line in raw)
    return tuple(raw) if whole else Unreadable(raw)


COERCE: Mapping[FieldKind, Callable[[Any], Any]] = {
    "string": to_text,
    "email": to_text,
    "integer": to_integer,
    "number": to_number,
    "boolean": to_boolean,
    "date": to_date,
    "datetime": to_datetime,
    "timestamp": to_timestamp,
    "integers": to_integers,
    "strings": to_strings,
    "object": to_object,
    "lines": to_lines,
}
