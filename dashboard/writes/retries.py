"""Writes that are sent again: always as a new row with a new token.

A write of unknown outcome is sent again under a token made from that of the first. In a job the
latest attempt at a row has its number; an earlier one that was sent stays as history, one that was
not is cancelled, so that nothing is sent with its token any more.
"""

import re
from collections.abc import Iterable
from typing import Any

from django.db import transaction

from dashboard.core.sealed import readable

from .ledger import new_token
from .models import Write

State, Resolution = Write.State, Write.Resolution
AT_A_TIME = 500  # rows of one statement
SAME = ("person_id", "owner", "workspace", "resource", "job", "number", "tries")  # as before


def retry_token(first: Write, pressed_token: str = "") -> str:
    """The token under which an unresolved write is sent again; a new one after each refusal.

    `pressed_token`: the one on the page whose button was pressed. It is used again, so that
    pressing twice sends once, even if the second press comes after the first was refused.
    """
    repeated = Write.objects.filter(person=first.person_id, token__startswith=f"{first.token}+")
    states = dict(repeated.values_list("token", "state"))
    is_repetition = re.fullmatch(rf"{re.escape(first.token)}\+[0-9]{{0,3}}", pressed_token)
    if is_repetition:
        return pressed_token
    token, count = f"{first.token}+", 0
    while states.get(token) == State.NOT_SAVED:
        count += 1
        token = f"{first.token}+{count}"
    return token


def sent_again(first: Write) -> Write | None:
    """The latest repetition of a write, if it was sent again."""
    repeated = Write.objects.filter(person=first.person_id, token__startswith=f"{first.token}+")
    return repeated.filter(sent_at__isnull=False).order_by("-pk").first()


@transaction.atomic
def replace(rows: Iterable[Write], *, words: str = "", **values: Any) -> int:
    """Let new rows, with new tokens, take the places of these in their job; how many. They wait
    unless `values` say otherwise; `words`: why they are not to be sent.
    """
    earlier = list(rows)
    successors = [_in_job(row, words, values) for row in earlier]
    for start in range(0, len(earlier), AT_A_TIME):
        _vacate([row.pk for row in earlier[start : start + AT_A_TIME]])
    Write.objects.bulk_create(successors, batch_size=AT_A_TIME)
    return len(successors)


@transaction.atomic
def settle_as_sent_again(*, pk: int) -> None:
    """Settle a write of unknown outcome whose repetition has taken its place, in its job, too."""
    unclear = Write.objects.filter(pk=pk, state=State.NOT_SURE, resolution=Resolution.OPEN)
    if not unclear.update(resolution=Resolution.SENT_AGAIN):
        return
    first = Write.objects.get(pk=pk)
    again = sent_again(first) if first.number is not None else None
    if again:
        _vacate([first.pk])
        again.job, again.number = first.job, first.number
        again.job_row = {"sends": readable(first, "job_row").get("sends", {})}
        again.save(update_fields=["job", "number", "job_row"])


def _vacate(rows: list[int]) -> None:
    places = Write.objects.filter(pk__in=rows)
    places.filter(sent_at__isnull=True).update(state=State.CANCELLED)
    places.update(number=None, job_row="")


def _in_job(row: Write, words: str, values: dict[str, Any]) -> Write:
    same: dict[str, Any] = {name: getattr(row, name) for name in SAME}
    successor_row = Write(token=new_token(), **{**same, "state": State.WAITING, **values})
    job_row = {"sends": readable(row, "job_row").get("sends", {})}
    successor_row.job_row = {**job_row, "words": words} if words else job_row
    return successor_row
