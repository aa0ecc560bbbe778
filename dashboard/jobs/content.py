"""Encrypts the content of jobs and rows for their person; amounts stay exact."""

from typing import Any

from dashboard import cipher
from dashboard.jobs.models import Job, JobRow
from dashboard.outbox import content as outbox_content

PURPOSE = "jobs"

Row = Job | JobRow


def seal(value: dict[str, Any], row: Row, column: str, owner: int) -> str:
    """Encrypt a part of a job for its person."""
    text, place = outbox_content.as_text(value), row.place(column)
    return cipher.seal(text, owner=owner, purpose=PURPOSE, place=place)


def unseal(row: Row, column: str, owner: int) -> dict[str, Any]:
    """The part that `seal` was given, {} for ""; raises cipher.Unreadable."""
    sealed, place = getattr(row, column), row.place(column)
    if not sealed:
        return {}
    text = cipher.unseal(sealed, owner=owner, purpose=PURPOSE, place=place)
    return outbox_content.from_text(text)


def readable(row: Row, column: str, owner: int) -> dict[str, Any]:
    """The part that `seal` was given; {} where no configured key opens it."""
    try:
        return unseal(row, column, owner)
    except cipher.Unreadable:
        return {}
