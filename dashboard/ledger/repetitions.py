"""Writes that are sent again: always as a new row with a new token.

A write of unknown outcome is sent again under a token made from that of the first. In a job the
latest attempt at a row has its number; an earlier one that was sent stays as history, one that was
not is cancelled, so that nothing is sent with its token any more.
"""

import re
from collections.abc import Iterable
from typing import Any

from django.db import transaction

from dashboard.accounts.models import User
from dashboard.sealed import readable

from .models import Write
from .services import find_by_token, new_token, successor

State, Resolution = Write.State, Write.Resolution
AT_A_TIME = 500  # rows of one statement


def retry_token(first: Write, pressed_token: str = "") -> str:
    """The token under which an unresolved write is sent again; a new one after each refusal.

    `pressed_token`: the one on the page whose button was pressed. It is used again, so that
    pressing twice sends once, even if the second press comes after the first was refused.
    """
    repeated = Write.objects.filter(person=first.person_id, token__startswith=f"{first.token}+")
    states = dict(repeated.values_list("token", "state"))
    is_repetition = re.fullmatch(rf"{re.escape(first.token)}\+[0-9]{{0,3}}", pressed_token)
    if is_repetition and states.get(pressed_token) != State.CANCELLED:
        return pressed_token
    token, count = f"{first.token}+", 0
    while states.get(token) in (State.NOT_SAVED, State.CANCELLED):
        count += 1
        token = f"{first.token}+{count}"
    return token


def sent_again(first: Write) -> Write | None:
    """The latest repetition of a write, if it was sent again."""
    repeated = Write.objects.filter(person=first.person_id, token__startswith=f"{first.token}+")
    return repeated.filter(sent_at__isnull=False).order_by("-pk").first()


def first_of(token: str, person: User | None) -> Write | None:
    """The write that the one with this token repeats, if it is a repetition."""
    repetition = re.fullmatch(r"(.+)\+[0-9]{0,3}", token)
    return find_by_token(repetition[1], person) if repetition else None


@transaction.atomic
def replace(rows: Iterable[Write], *, words: str = "", **values: Any) -> int:
    """Let new rows, with new tokens, take the places of these in their job; how many. They wait
    unless `values` say otherwise; `words`: why they are not to be sent.
    """
    earlier = list(rows)
    successors = []
    for row in earlier:
        first = first_of(row.token, row.person) if "+" in row.token else None
        token = retry_token(first) if first else new_token()
        successors.append(_in_job(row, token, words, values))
    for start in range(0, len(earlier), AT_A_TIME):
        _vacate([row.pk for row in earlier[start : start + AT_A_TIME]])
    Write.objects.bulk_create(successors, batch_size=AT_A_TIME)
    return len(successors)


@transaction.atomic
def repeat(first: Write) -> bool:
    """Let a repetition of a row of unknown outcome wait in its place, unless it was resolved. False
    if its person has sent it again.
    """
    unclear = {"state": State.NOT_SURE, "resolution": Resolution.OPEN, "number": first.number}
    again = _in_job(first, retry_token(first), "", {"tries": 0})
    if find_by_token(again.token, first.person):
        return False
    if Write.objects.filter(pk=first.pk, **unclear).update(number=None, job_row=""):
        again.save(force_insert=True)
    return True


@transaction.atomic
def hand_over(row: Write, to: Write) -> None:
    """Let another write take the place of a row in its job."""
    _vacate([row.pk])
    to.job, to.number = row.job, row.number
    to.job_row = {"sends": readable(row, "job_row").get("sends", {})}
    to.save(update_fields=["job", "number", "job_row"])


@transaction.atomic
def settle_as_sent_again(*, pk: int) -> None:
    """Settle a write of unknown outcome whose repetition has taken its place, in its job, too."""
    unclear = Write.objects.filter(pk=pk, state=State.NOT_SURE, resolution=Resolution.OPEN)
    if not unclear.update(resolution=Resolution.SENT_AGAIN):
        return
    first = Write.objects.get(pk=pk)
    again = sent_again(first) if first.number is not None else None
    if again:
        hand_over(first, again)


def _vacate(rows: list[int]) -> None:
    places = Write.objects.filter(pk__in=rows)
    places.filter(sent_at__isnull=True).update(state=State.CANCELLED)
    places.update(number=None, job_row="")


def _in_job(row: Write, token: str, words: str, values: dict[str, Any]) -> Write:
    place = {"job": row.job, "number": row.number, "tries": row.tries}
    successor_row = successor(row, token, **{**place, **values})
    job_row = {"sends": readable(row, "job_row").get("sends", {})}
    successor_row.job_row = {**job_row, "words": words} if words else job_row
    return successor_row
