"""From what the service sent to what it means, by the declared kind of a field.

Numbers come as numbers or decimal strings, ids as integers or digit strings, empty values as null,
"" or not at all. Whatever cannot be read becomes `Unreadable` and is never guessed at.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from .fields import Kind

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}\Z")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})\Z")
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].*)?\Z")
_LARGEST = 10**18
_WORDS = {"1": True, "0": False, "true": True, "false": False}


class Unreadable:
    """A value that is not what the field declares. `raw` keeps it; it is false and prints in plain
    words, so that a template may show it.
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
        """The same for all, as raw may be a list or dict: looked up among words, none is found."""
        return hash(Unreadable)


def to_text(raw: Any) -> Any:
    if isinstance(raw, str):
        return raw
    if isinstance(raw, int) and not isinstance(raw, bool):
        return str(raw)  # phone numbers and lead numbers come as numbers too
    return str(raw) if isinstance(raw, Decimal) else Unreadable(raw)


def to_integer(raw: Any) -> Any:
    if type(raw) is int:
        return raw if -_LARGEST < raw < _LARGEST else Unreadable(raw)
    if isinstance(raw, str):
        text = raw.strip()
        return int(text) if _INTEGER.match(text) else Unreadable(raw)
    if isinstance(raw, Decimal) and _moderate(raw) and raw == raw.to_integral_value():
        return int(raw)
    return Unreadable(raw)


def to_number(raw: Any) -> Any:
    if isinstance(raw, Decimal):
        return raw if _moderate(raw) else Unreadable(raw)
    if type(raw) is int:
        return Decimal(raw) if -_LARGEST < raw < _LARGEST else Unreadable(raw)
    if isinstance(raw, str) and _NUMBER.match(text := raw.strip()):
        return Decimal(text)
    return Unreadable(raw)


def _moderate(number: Decimal) -> bool:
    """Not 1e999999999, whose digits would fill the memory as soon as somebody prints them."""
    return number.is_finite() and (not number or -20 <= number.adjusted() < 18)


def to_boolean(raw: Any) -> Any:
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, int | str):
        return _WORDS.get(str(raw).strip().lower(), Unreadable(raw))
    return Unreadable(raw)


def to_date(raw: Any) -> Any:
    """A date, also where a time of day hangs behind it."""
    if not isinstance(raw, str) or not _ISO_DATE.match(raw):
        return Unreadable(raw)
    try:
        return date.fromisoformat(raw[:10])
    except ValueError:
        return Unreadable(raw)


def to_datetime(raw: Any) -> Any:
    """Date and time as written: the API's task times have no zone, so one that came is dropped."""
    moment = _moment(raw)
    return moment.replace(tzinfo=None) if isinstance(moment, datetime) else moment


def to_timestamp(raw: Any) -> Any:
    """A moment in UTC, which the reference says timestamps are in unless they name a zone."""
    moment = _moment(raw)
    if not isinstance(moment, datetime):
        return moment
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # the first or last hours of the calendar
        return Unreadable(raw)


def _moment(raw: Any) -> Any:
    if not isinstance(raw, str) or not _ISO_DATE.match(raw):
        return Unreadable(raw)
    try:
        return datetime.fromisoformat(raw)
    except ValueError:
        return Unreadable(raw)


def to_integers(raw: Any) -> Any:
    """Ids, given as such or as objects with an `id` (tags come either way)."""
    if not isinstance(raw, list):
        return Unreadable(raw)
    ids = tuple(to_integer(item.get("id") if isinstance(item, dict) else item) for item in raw)
    return Unreadable(raw) if any(isinstance(item, Unreadable) for item in ids) else ids


def to_strings(raw: Any) -> Any:
    if not isinstance(raw, list):
        return Unreadable(raw)
    texts = tuple(to_text(item) for item in raw)
    return Unreadable(raw) if any(isinstance(text, Unreadable) for text in texts) else texts


def to_object(raw: Any) -> Any:
    """A dict. An empty list is an empty object: some services cannot tell them apart."""
    if isinstance(raw, dict):
        return raw
    return {} if raw == [] else Unreadable(raw)


def to_lines(raw: Any) -> Any:
    """Line items as they came; `Record.lines` gives them as records."""
    whole = isinstance(raw, list) and all(isinstance(line, dict) for line in raw)
    return tuple(raw) if whole else Unreadable(raw)


COERCE: Mapping[Kind, Callable[[Any], Any]] = {
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
