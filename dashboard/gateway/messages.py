"""Reads what the service says of an error: texts that are safe to show, by field."""

import re
from typing import Any

from .errors import FieldErrors

MAX_MESSAGE = 500
MAX_NAME = 100
MAX_ERRORS = 100
MAX_DEPTH = 4
FIELD_KEYS = ("field", "param", "property", "attribute", "path")
MESSAGE_KEYS = ("message", "msg", "error", "detail")

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_DIRECTION = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_BRACKETED = re.compile(r"\[([^\[\]]*)\]")


def clean_text(words: Any, limit: int = MAX_MESSAGE) -> str:
    """One line without control or text direction characters; "" if `words` is no text."""
    if isinstance(words, bool) or not isinstance(words, str | int):
        return ""
    start = str(words)[: limit * 4]
    line = " ".join(_CONTROL.sub(" ", _DIRECTION.sub("", start)).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def field_errors(errors: Any) -> FieldErrors:
    """The `errors` of an envelope as {"items.0.price": ["..."]}; those of no field are under "".

    Accepts a text or a list of texts by field name, nested objects and lists, lists of objects that
    hold a field's name and a message each, and names such as items[0].price.
    """
    errors_by_field: FieldErrors = {}
    _collect(errors, "", errors_by_field, MAX_DEPTH)
    return errors_by_field


def _collect(errors: Any, name: str, errors_by_field: FieldErrors, depth: int) -> None:
    if depth < 0 or sum(map(len, errors_by_field.values())) >= MAX_ERRORS:
        return
    if isinstance(errors, dict):
        for key, inner in errors.items():
            _collect(inner, _joined(name, key), errors_by_field, depth - 1)
    elif isinstance(errors, list):
        for index, inner in enumerate(errors[:MAX_ERRORS]):
            if pair := _named_message(inner):
                _collect(pair[1], _joined(name, pair[0]), errors_by_field, depth - 1)
                continue
            nested = isinstance(inner, dict | list)
            _collect(
                inner, _joined(name, str(index)) if nested else name, errors_by_field, depth - 1
            )
    elif text := clean_text(errors):
        errors_by_field.setdefault(name, []).append(text)


def _named_message(error: Any) -> tuple[str, str] | None:
    """(field, message) of an object such as {"field": "email", "message": "Not valid"}; None for
    any other.
    """
    if not isinstance(error, dict):
        return None
    field = next((error[key] for key in FIELD_KEYS if isinstance(error.get(key), str)), None)
    text = next((error[key] for key in MESSAGE_KEYS if isinstance(error.get(key), str)), None)
    return (field, text) if field and text else None


def _joined(name: str, key: str) -> str:
    dotted = _BRACKETED.sub(r".\1", clean_text(key, MAX_NAME))
    return f"{name}.{dotted}" if name else dotted
