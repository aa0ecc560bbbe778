"""Reads what comes from outside within bounds: numbers, JSON and the values of records.

int() raises ValueError for more than 4,300 digits, and a Decimal such as 1e999999999 fills the
memory as soon as it is printed or made an int. json.loads accepts NaN, duplicate keys, lone
surrogates and fractions of any length and exponent, and raises RecursionError for deep nesting.
Here each of these makes the whole text unreadable.

The service sends numbers as numbers or decimal strings, and ids as integers or digit strings. A
value that does not fit the declared kind of its field becomes `Unreadable`.
"""

import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

from .api import FieldKind

MAX_ID = 10**18 - 1  # the largest id; fits a 64-bit integer
MAX_PLACES = 400  # of a printed number; any IEEE 754 double has fewer before the point
MAX_ITEMS = 1_000  # of a list of ids or texts
MAX_BYTES = 8_000_000  # decoded
MAX_DEPTH = 32
MAX_DIGITS = 60
MAX_TEXT = 500  # of a text for a page
_MAX_NUMBER_LENGTH = 500
_INTEGER = re.compile(r"\s*[+-]?[0-9]{1,18}\s*\Z")
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})\s*\Z")
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].*)?\Z")
_ZONE = re.compile(r"T.*(Z|[+-][0-9]{2}:?[0-9]{2})\Z", re.IGNORECASE)
SUMMER_TIME = timedelta(hours=1)  # the offset of one zone in summer and in winter
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_DIRECTION = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_BOOLEANS = {"1": True, "0": False, "true": True, "false": False}


def whole_number(text: object, *, least: int = 1, largest: int = MAX_ID) -> int | None:
    """Return the number from `least` to `largest` that a text of ASCII digits states, ignoring
    white space around it. None for anything else.
    """
    match = re.fullmatch(r"\s*([0-9]{1,18})\s*", str(text))
    number = int(match[1]) if match else -1
    return number if least <= number <= largest else None


def decimal_of(text: str) -> Decimal | None:
    """Return the number that a text in Python's notation states; None for any other text, NaN,
    infinity and a number that takes more than MAX_PLACES places to print.
    """
    try:
        number = Decimal(text if len(text) <= _MAX_NUMBER_LENGTH else "NaN")
    except InvalidOperation:
        return None
    fits = number.is_finite() and -MAX_PLACES <= number.adjusted() <= MAX_PLACES
    return number if fits else None


def clean_text(words: Any, limit: int = MAX_TEXT) -> str:
    """Return one line without control or text direction characters; "" if `words` is no text."""
    if isinstance(words, bool) or not isinstance(words, str | int):
        return ""
    start = str(words)[: limit * 4]
    line = " ".join(_CONTROL.sub(" ", _DIRECTION.sub("", start)).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def is_encodable(text: str) -> bool:
    """Return whether a text has no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def inflate(body: bytes, encoding: str) -> bytes | None:
    """Return the decoded body; None if it is damaged, not gzip or has more than MAX_BYTES bytes."""
    if encoding in ("", "identity"):
        return body
    if encoding not in ("gzip", "x-gzip"):
        return None
    gunzip = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        text = gunzip.decompress(body, MAX_BYTES + 1)
    except zlib.error:
        return None
    return text if gunzip.eof and not gunzip.unused_data and len(text) <= MAX_BYTES else None


def read_object(body: bytes) -> dict[str, Any] | None:
    """Parse `body` as a JSON object with fractions as Decimal; None for anything else."""
    try:
        value = _DECODER.decode(body.decode("utf-8-sig"))
    except (ValueError, ArithmeticError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    plain = _is_shallow(body) and b"\\ud" not in body and b"\\uD" not in body
    return value if plain or _is_sound(value) else None


def _fraction(text: str) -> Decimal:
    if len(text) > MAX_DIGITS:
        raise ValueError("too many digits")
    if "e" not in text and "E" not in text:  # usual case
        return Decimal(text)
    number = decimal_of(text)
    if number is None:
        raise ValueError("too large an exponent")
    return number


def _constant(_name: str) -> NoReturn:
    raise ValueError("not a number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("duplicate key")
    return value


_DECODER = json.JSONDecoder(
    parse_float=_fraction, parse_constant=_constant, object_pairs_hook=_object
)
_ALL_BUT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def _is_shallow(body: bytes) -> bool:
    """Fast check for usual answers. False may be wrong, because strings hold brackets too."""
    brackets = body.translate(None, _ALL_BUT_BRACKETS)
    for _ in range(MAX_DEPTH // 2):
        if not brackets:
            return True
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return not brackets


def _is_sound(value: Any) -> bool:
    """Return whether it is nested at most MAX_DEPTH deep and all of its text can be encoded as
    UTF-8.
    """
    level = [value]
    for _ in range(MAX_DEPTH):
        if not all(is_encodable(item) for item in level if isinstance(item, str)):
            return False
        level = [inner for item in level for inner in _inside(item)]
    return not level


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    return value if isinstance(value, list) else []


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
        """Return one hash for all instances, because `raw` may be an unhashable list or dict."""
        return hash(Unreadable)


def read_value(kind: FieldKind, raw: Any) -> Any:
    """Return the value of a field; None for null and "", `Unreadable` for what does not fit its
    kind.
    """
    if raw is None or raw == "":
        return None
    try:
        return _READERS[kind](raw)
    except (ValueError, OverflowError):  # overflow: a time within a day of year 1 or 9999
        return Unreadable(raw)


def _text(raw: Any) -> str:
    if isinstance(raw, str):
        return raw
    if isinstance(raw, int | Decimal) and not isinstance(raw, bool):
        return str(raw)  # phone and lead numbers may be sent as numbers
    raise ValueError


def _integer(raw: Any) -> int:
    """Parse an integer, also from digits, a Decimal without a fraction, or the `id` of an object,
    as which some services send users, stages and tags.
    """
    value = raw.get("id") if isinstance(raw, dict) else raw
    if type(value) is int and -MAX_ID <= value <= MAX_ID:
        return value
    if isinstance(value, str) and _INTEGER.match(value):
        return int(value)
    if isinstance(value, Decimal) and _number(value) == value.to_integral_value():
        return int(value)
    raise ValueError


def _number(raw: Any) -> Decimal:
    if isinstance(raw, str) and _NUMBER.match(raw):
        return Decimal(raw)
    if isinstance(raw, Decimal) and raw.is_finite() and -20 <= raw.adjusted() < 18:
        return raw
    if type(raw) is int and abs(raw) <= MAX_ID:
        return Decimal(raw)
    raise ValueError


def _boolean(raw: Any) -> bool:
    value = _BOOLEANS.get(str(raw).strip().lower()) if isinstance(raw, int | str) else None
    if value is None:
        raise ValueError
    return value


def _iso(raw: Any) -> str:
    if not isinstance(raw, str) or not _ISO_DATE.match(raw):
        raise ValueError
    return raw


def _date(raw: Any) -> date:
    """Parse a date. Of a moment with a zone, take its day in the time zone of this process, which
    Django sets to TIME_ZONE. A time without a zone is ignored, and so is midnight in any zone, as
    which many services send a plain date.
    """
    text, moment = _iso(raw), None
    if len(text) > 10:
        with suppress(ValueError):
            moment = datetime.fromisoformat(text)
    if moment and moment.tzinfo and moment.time() != time.min:
        return moment.astimezone().date()
    return date.fromisoformat(text[:10])


def _datetime(raw: Any) -> datetime:
    """Parse a time, as it was written. Task times have no zone in the reference and are sent
    without one, so a zone that a service adds to all of them says nothing about what was typed. If
    it adds different ones, `Gateway` has converted them.
    """
    return datetime.fromisoformat(_iso(raw)).replace(tzinfo=None)


def zone_of(raw: Any) -> str:
    """Return the zone that a time was sent with, such as "+05:30"; "" for none."""
    match = _ZONE.search(raw.replace(" ", "T", 1)) if isinstance(raw, str) else None
    return match[1].upper() if match else ""


def differ(zones: Iterable[str]) -> bool:
    """Return whether these are more than one zone in summer and in winter."""
    offsets = [_offset(zone) for zone in zones]
    return bool(offsets) and max(offsets) - min(offsets) > SUMMER_TIME


def _offset(zone: str) -> timedelta:
    with suppress(ValueError):  # such as +24:00
        return datetime.strptime(zone, "%z").utcoffset() or timedelta()
    return timedelta()


def local_time(raw: str) -> str:
    """Return a time with a zone in the time zone of this process, without it; as it was if
    unreadable.
    """
    with suppress(ValueError, OverflowError):
        return datetime.fromisoformat(raw).astimezone().replace(tzinfo=None).isoformat()
    return raw


def _timestamp(raw: Any) -> datetime:
    moment = datetime.fromisoformat(_iso(raw))
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _items(raw: Any) -> list[Any]:
    if not isinstance(raw, list) or len(raw) > MAX_ITEMS:
        raise ValueError
    return raw


def _object_value(raw: Any) -> dict[str, Any]:
    if isinstance(raw, dict):
        return raw
    if raw == []:  # as some services send an empty object
        return {}
    raise ValueError


def _lines(raw: Any) -> tuple[dict[str, Any], ...]:
    """Return the objects; `Record.lines` makes records of them."""
    if isinstance(raw, list) and all(isinstance(line, dict) for line in raw):
        return tuple(raw)
    raise ValueError


_READERS: Mapping[FieldKind, Callable[[Any], Any]] = {
    "string": _text,
    "email": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
    "datetime": _datetime,
    "timestamp": _timestamp,
    "integers": lambda raw: tuple(map(_integer, _items(raw))),
    "strings": lambda raw: tuple(map(_text, _items(raw))),
    "object": _object_value,
    "lines": _lines,
}
