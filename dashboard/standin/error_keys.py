"""The spellings of a rejection's keys for nested fields, which the reference does not show."""

import re
from collections.abc import Callable

from .schema import Errors, Record


def bracketed(errors: Errors) -> Record:
    """items.2.price as lines[2][price], custom_fields.Region as custom_fields[Region]."""
    found = {}
    for key, messages in errors.items():
        first, *others = key.split(".")
        name = "lines" if first == "items" else first
        found[name + "".join(f"[{part}]" for part in others)] = messages
    return found


def half_bracketed(errors: Errors) -> Record:
    """items.2.price as items[2].price."""
    return {re.sub(r"\.(\d+)", r"[\1]", key): messages for key, messages in errors.items()}


def nested(errors: Errors) -> Record:
    """items.2.price as objects inside each other."""
    found: Record = {}
    for key, messages in errors.items():
        *parents, last = key.split(".")
        inner = found
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[last] = messages
    return found


def pairs(errors: Errors) -> list[Record]:
    """Return a list of objects that name a field and hold one message each."""
    return [{"field": key, "message": each} for key in errors for each in errors[key]]


SPELLINGS: dict[str, Callable[[Errors], Record | list[Record]]] = {
    "dots": dict,
    "brackets": bracketed,
    "half-brackets": half_bracketed,
    "nested": nested,
    "pairs": pairs,
}
