"""The service's words: one message, and reasons by field, in the shapes that services use.

The reference shows no rejection but that of a key. Reasons are looked for in `errors`, `error`,
`message` and `detail`, and in `data`: as texts by field, as objects inside each other, and as lists
of objects that name a field, or the path to it, beside a message.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .api import LINE_FIELDS, Endpoint
from .errors import FieldErrors
from .values import clean_text

MAX_NAME = 100
MAX_ERRORS = 100
MAX_DEPTH = 6
PLACES = ("errors", "error", "message", "detail", "details", "issues")
NAME_KEYS = ("field", "param", "property", "attribute", "path", "loc")
TEXT_KEYS = ("message", "msg", "error", "detail")

_BRACKETED = re.compile(r"\[([^\[\]]*)\]")
_SUBJECT = re.compile(r"\W*(?:the\s+)?(?:field\s+)?[\"'`“]?([a-z_][\w.\[\]]*)", re.IGNORECASE)
_CELL = re.compile(r"\.(\d+)\.(\w+)$", re.ASCII)
_CELLS = frozenset(field.name for field in LINE_FIELDS)


def read_message(envelope: Mapping[str, Any]) -> str:
    """Return the message of an envelope, or of the `error` in it; "" without one."""
    inner = envelope.get("error")
    return _text_in(envelope) or (read_message(inner) if isinstance(inner, dict) else "")


def read_reasons(endpoint: Endpoint, envelope: Mapping[str, Any]) -> FieldErrors:
    """Return the reasons of a rejection as {"items.0.price": ["..."]}; those of no field are under
    "".

    A name begins with a field of the endpoint, if it has one, and lines are always "items".
    """
    data = envelope.get("data")
    held = [envelope, data] if isinstance(data, dict) else [envelope]
    found: FieldErrors = {}
    for path, text in (pair for each in held for pair in _in_places(each, MAX_DEPTH)):
        if sum(map(len, found.values())) >= MAX_ERRORS:
            break
        name = _known_name(endpoint, path) or _subject(endpoint, text) or path
        texts = found.setdefault(name, [])
        if text not in texts:
            texts.append(text)
    return found


def _in_places(holder: Mapping[str, Any], depth: int) -> Iterator[tuple[str, str]]:
    """Yield the reasons in PLACES, each with the path to its field; a text alone is no reason."""
    for place in PLACES:
        value = holder.get(place)
        if place == "errors" or isinstance(value, dict | list):
            yield from _reasons(value, "", depth)


def _reasons(value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth < 0:
        return
    if isinstance(value, dict) and not path and _holds_places(value):
        yield from _in_places(value, depth - 1)
    elif isinstance(value, dict) and (text := _text_in(value)):
        yield _joined(path, _path_in(value)), text
    elif isinstance(value, dict | list):
        for part, inner in _parts(value):
            yield from _reasons(inner, _joined(path, part), depth - 1)
    elif text := clean_text(value):
        yield path, text


def _holds_places(value: Mapping[str, Any]) -> bool:
    return any(isinstance(value.get(place), dict | list) for place in PLACES)


def _parts(value: dict[str, Any] | list[Any]) -> Iterable[tuple[str, Any]]:
    """Return the parts of an object by name, or of a list: by index, or "" for one that names its
    own field or is a text.
    """
    if isinstance(value, dict):
        return value.items()
    rows = enumerate(value[:MAX_ERRORS])
    return [(str(index) if _is_row(inner) else "", inner) for index, inner in rows]


def _is_row(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and not _text_in(value))


def _text_in(error: Mapping[str, Any]) -> str:
    return next(filter(None, (clean_text(error.get(key)) for key in TEXT_KEYS)), "")


def _path_in(error: Mapping[str, Any]) -> str:
    """Return the field that such an object names, also by a list such as ["items", 0, "price"]."""
    named = next((error[key] for key in NAME_KEYS if error.get(key)), "")
    path = ""
    for part in named if isinstance(named, list) else [named]:
        path = _joined(path, part)
    return path


def _joined(path: str, part: Any) -> str:
    name = _BRACKETED.sub(r".\1", clean_text(part, MAX_NAME))
    return ".".join(filter(None, (path, name)))[: 3 * MAX_NAME]


def reason_by_subject(endpoint: Endpoint, text: str) -> FieldErrors:
    """Return the text as the reason of the field that it begins with, as in "cstname must be a
    string".
    """
    name = _subject(endpoint, text)
    return {name: [text]} if name else {}


def _subject(endpoint: Endpoint, text: str) -> str:
    subject = _SUBJECT.match(text)
    return _known_name(endpoint, _BRACKETED.sub(r".\1", subject[1]).rstrip(".")) if subject else ""


def _known_name(endpoint: Endpoint, path: str) -> str:
    """Return the path from its first part that is a field of the endpoint; "" without one."""
    if "items" in endpoint.kinds and (cell := _CELL.search(path)) and cell[2] in _CELLS:
        return f"items.{cell[1]}.{cell[2]}"
    parts = path.split(".")
    known = (place for place, part in enumerate(parts) if part in endpoint.kinds)
    return next((".".join(parts[place:]) for place in known), "")
