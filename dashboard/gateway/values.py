"""Reads what comes from outside within bounds: numbers, JSON and the values of records.

int() raises ValueError for more than 4,300 digits, and a Decimal such as 1e999999999 fills the
memory as soon as it is printed or made an int. json.loads accepts NaN, duplicate keys, lone
surrogates and numbers of any length and exponent, and raises RecursionError for deep nesting. Here
each of these makes the whole text unreadable.

The service sends numbers as numbers or decimal strings, and ids as integers or digit strings. A
value that does not fit the declared kind of its field becomes `Unreadable`.
"""

import json
import re
import zlib
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

from .api import FieldKind

LARGEST = 10**18 - 1  # the largest id; fits a 64-bit integer
MOST_PLACES = 400  # of a printed number; any IEEE 754 double has fewer before the point
_LONGEST_TEXT = 500


def whole_number(text: object, *, least: int = 1, largest: int = LARGEST) -> int | None:
    """The number from `least` to `largest` that a text of ASCII digits states, ignoring white space
    around it. None for anything else.
    """
    match = re.fullmatch(r"\s*([0-9]{1,18})\s*", str(text))
    number = int(match[1]) if match else -1
    return number if least <= number <= largest else None


def decimal_of(text: str) -> Decimal | None:
    """The number that a text in Python's notation states; None for any other text, NaN, infinity
    and a number that takes more than MOST_PLACES places to print.
    """
    try:
        number = Decimal(text) if len(text) <= _LONGEST_TEXT else None
    except InvalidOperation:
        return None
    return number if number is not None and is_printable(number) else None


def is_printable(number: Decimal) -> bool:
    """Whether a Decimal of few digits also takes few places to print without an exponent."""
    return number.is_finite() and -MOST_PLACES <= number.adjusted() <= MOST_PLACES


MAX_BYTES = 8_000_000  # decoded
MAX_DEPTH = 32
MAX_DIGITS = 60


def inflate(body: bytes, encoding: str) -> bytes | None:
    """The decoded body; None if it is damaged, not gzip or has more than MAX_BYTES bytes."""
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
    """`body` as a JSON object with fractions as Decimal; None for anything else."""
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
    parse_float=_fraction,
    parse_constant=_constant,
    object_pairs_hook=_object,
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
    """Whether it is nested at most MAX_DEPTH deep and all of its text can be encoded as UTF-8."""
    level = [value]
    for _ in range(MAX_DEPTH):
        if not level:
            return True
        texts = [item for item in level if isinstance(item, str)]
        if not all(is_encodable(text) for text in texts):
            return False
        level = [inner for item in level for inner in _inside(item)]
    return not level


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    return value if isinstance(value, list) else []


def is_encodable(text: str) -> bool:
    """Whether a text has no lone surrogate, so that it can be stored and sent."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


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
