"""The service's own words, made fit to be shown: plain text, no longer than a person will read."""

import re
from typing import Any

from .errors import FieldErrors

MAX_MESSAGE = 500
MAX_NAME = 100
MAX_COMPLAINTS = 100
MAX_DEPTH = 4

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_DIRECTION = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_BRACKETED = re.compile(r"\[([^\[\]]*)\]")


def clean(words: Any, limit: int = MAX_MESSAGE) -> str:
    """One line of text without control or direction-changing characters; "" for what is no text."""
    if isinstance(words, bool) or not isinstance(words, str | int):
        return ""
    start = str(words)[: limit * 4]
    line = " ".join(_CONTROL.sub(" ", _DIRECTION.sub("", start)).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def complaints(errors: Any) -> FieldErrors:
    """An `errors` member as {"items.0.price": ["..."]}; complaints about no field are under "".

    Taken: a text or list of texts by field name, nested objects and lists, names like
    items[0].price.
    """
    found: FieldErrors = {}
    _collect(errors, "", found, MAX_DEPTH)
    return found


def _collect(errors: Any, name: str, found: FieldErrors, depth: int) -> None:
    if depth < 0 or sum(map(len, found.values())) >= MAX_COMPLAINTS:
        return
    if isinstance(errors, dict):
        for key, inner in errors.items():
            _collect(inner, _joined(name, key), found, depth - 1)
    elif isinstance(errors, list):
        for index, inner in enumerate(errors[:MAX_COMPLAINTS]):
            nested = isinstance(inner, dict | list)
            _collect(inner, _joined(name, str(index)) if nested else name, found, depth - 1)
    elif text := clean(errors):
        found.setdefault(name, []).append(text)


def _joined(name: str, key: str) -> str:
    dotted = _BRACKETED.sub(r".\1", clean(key, MAX_NAME))
    return f"{name}.{dotted}" if name else dotted
