"""Reads JSON from outside into values that are safe to store and to print.

json.loads accepts NaN, duplicate keys, lone surrogates and numbers of any length and exponent, and
raises RecursionError for deep nesting. Here each of these makes the whole text unreadable.
"""

import json
import zlib
from decimal import Decimal
from typing import Any, NoReturn

from .numbers import decimal_of

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


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError("too many digits")
    return int(digits)


def _fraction(digits: str) -> Decimal:
    if len(digits) > MAX_DIGITS:
        raise ValueError("too many digits")
    number = decimal_of(digits)
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
    parse_int=_integer,
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
