"""Retries of writes: always a new row with a new token.

The token of a retry begins with that of the first write. Attempts at a row of a job share its
number; the latest is the row, earlier ones stay as history.
"""

import re
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Q

from .ledger import new_token
from .models import Write

State, Resolution = Write.State, Write.Resolution
BATCH_SIZE = 500  # rows of one statement
SAME = ("person_id", "owner", "workspace", "resource", "job", "number")  # of all attempts


def retry_token(first: Write, pressed_token: str = "") -> str:
    """Return the token for a retry of an unresolved write; a new one after each attempt that was
    rejected or closed.

    `pressed_token`: from the submitted page. It is used again, so that a double click sends once,
    even if its second request follows a rejection.
    """
    repeated = Write.objects.filter(person=first.person_id, token__startswith=f"{first.token}+")
    ended = repeated.filter(Q(state=State.NOT_SAVED) | Q(resolution=Resolution.CLOSED))
    used = set(ended.values_list("token", flat=True))
    is_repetition = re.fullmatch(rf"{re.escape(first.token)}\+[0-9]{{0,3}}", pressed_token)
    if is_repetition:
        return pressed_token
    token, count = f"{first.token}+", 0
    while token in used:
        count += 1
        token = f"{first.token}+{count}"
    return token


def sent_again(first: Write) -> Write | None:
    """Return the latest retry of a write that was sent."""
    repeated = Write.objects.filter(person=first.person_id, token__startswith=f"{first.token}+")
    return repeated.filter(sent_at__isnull=False).order_by("-pk").first()


def retry(rows: Iterable[Write], **values: Any) -> None:
    """Store the next attempts at rows of a job, WAITING unless `values` say otherwise."""
    attempts = [next_attempt(row, **values) for row in rows]
    Write.objects.bulk_create(attempts, batch_size=BATCH_SIZE)


def next_attempt(row: Write, **values: Any) -> Write:
    """Return the unsaved next attempt at a row, WAITING unless `values` say otherwise."""
    same: dict[str, Any] = {name: getattr(row, name) for name in SAME}
    fresh = {"token": new_token(), "state": State.WAITING, "attempt": row.attempt + 1}
    attempt = Write(**{**same, **fresh, **values})
    attempt.job_row = {"sends": row.sends}
    return attempt


@transaction.atomic
def resolve_as_sent_again(*, pk: int) -> None:
    """Settle a write of unknown outcome that was sent again."""
    unclear = Write.objects.filter(Write.UNCLEAR, pk=pk)
    if not unclear.update(resolution=Resolution.SENT_AGAIN):
        return
    first = Write.objects.get(pk=pk)
    again = sent_again(first) if first.number is not None else None
    if again:
        again.job, again.number, again.attempt = first.job, first.number, first.attempt + 1
        again.job_row = {"sends": first.sends}
        again.save(update_fields=["job", "number", "attempt", "job_row"])
