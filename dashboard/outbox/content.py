"""Encrypts the content of outbox rows for their person; amounts stay exact."""

import json
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from dashboard import cipher
from dashboard.outbox.models import Submission

PURPOSE = "outbox"
DECIMAL = "$decimal"


def seal(value: dict[str, Any], row: Submission, column: str) -> str:
    """Encrypt a part of a row for its person."""
    text = json.dumps(value, default=_write, ensure_ascii=False)
    return cipher.seal(text, owner=row.person_id, purpose=PURPOSE, place=row.place(column))


def unseal(row: Submission, column: str) -> dict[str, Any]:
    """The part that `seal` was given; raises cipher.Unreadable."""
    sealed, place = getattr(row, column), row.place(column)
    text = cipher.unseal(sealed, owner=row.person_id, purpose=PURPOSE, place=place)
    return from_text(text)


def as_text(value: dict[str, Any]) -> str:
    """The same text for the same value."""
    return json.dumps(value, sort_keys=True, default=_write, ensure_ascii=False)


def from_text(text: str) -> dict[str, Any]:
    """The value that `as_text` was given."""
    found: dict[str, Any] = json.loads(text, object_hook=_read, parse_float=Decimal)
    return found


def _write(value: object) -> object:
    """Amounts stay exact; dates and times are written as the API takes them."""
    if isinstance(value, Decimal):
        return {DECIMAL: str(value)}
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return value.isoformat() if isinstance(value, date) else str(value)


def _read(value: dict[str, Any]) -> Any:
    if value.keys() != {DECIMAL}:
        return value
    try:
        return Decimal(value[DECIMAL])
    except (InvalidOperation, TypeError, ValueError):  # the service's own, in a copy of a record
        return value
