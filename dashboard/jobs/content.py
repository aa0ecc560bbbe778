"""Encrypts the content of jobs and rows for their person; amounts stay exact."""

from typing import Any

from dashboard import cipher
from dashboard.outbox import content as outbox_content

PURPOSE = "jobs"


def seal(value: dict[str, Any], owner: int) -> str:
    """Encrypt a part of a job for its person."""
    return cipher.seal(outbox_content.as_text(value), owner=owner, purpose=PURPOSE)


def unseal(sealed: str, owner: int) -> dict[str, Any]:
    """The part that `seal` was given, {} for ""; raises cipher.Unreadable."""
    if not sealed:
        return {}
    return outbox_content.from_text(cipher.unseal(sealed, owner=owner, purpose=PURPOSE))


def readable(sealed: str, owner: int) -> dict[str, Any]:
    """The part that `seal` was given; {} where no configured key opens it."""
    try:
        return unseal(sealed, owner)
    except cipher.Unreadable:
        return {}
