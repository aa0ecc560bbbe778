"""Stores pending deletions, and copies of deleted records. Nothing is sent here.

Every time that decides something is the database's: sites and workers whose clocks differ agree on
when a countdown ends, and on when it ended too long ago.
"""

import logging
from datetime import timedelta
from enum import StrEnum
from math import ceil
from typing import Any, NamedTuple

from django.db import Error, IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.views.decorators.debug import sensitive_variables
from django_tasks.base import Task

from dashboard import progress
from dashboard.accounts.models import User
from dashboard.sealed import readable, sealed_text

from .marks import new_key
from .models import Deletion

logger = logging.getLogger(__name__)

SECONDS = 8  # that a deletion is delayed at least, unless the person presses "now"
SENT_WITHIN = timedelta(seconds=52)  # of its end; later nobody expects the worker to send it
LATE = "It was not sent when its countdown ended."

State = Deletion.State
Later = Task[[int], None]  # sends the deletion with this primary key when the countdown has ended


class Phase(StrEnum):
    """What happens next with a pending deletion, if nobody presses anything."""

    COUNTING = "counting"  # the countdown runs
    DUE = "due"  # the worker may send it at any moment
    WAITING = "waiting"  # nothing is sent until the person says so


class Copy(NamedTuple):
    """The label of a record, and the record as it was read."""

    label: str
    raw: dict[str, Any]


@sensitive_variables()
def schedule(
    *,
    person: User,
    owner: str,
    workspace: str,
    resource: str,
    record_id: int,
    token: str,
    copy: Copy,
    later: Later,
) -> Deletion:
    """Store a pending deletion: one for each record, and one for each token.

    `later`: the task that sends it when the countdown ends. A worker takes it at once, and asks the
    database how long to wait. Raises django.db.Error if one of them cannot be stored; then neither
    is.
    """
    row = {"person": person, "owner": owner, "resource": resource, "record_id": record_id}
    with transaction.atomic():
        deletion = _store(row, token, workspace, copy._asdict())
        later.enqueue(deletion.pk)
    return deletion


def _store(place: dict[str, Any], token: str, workspace: str, content: dict[str, Any]) -> Deletion:
    """The row of a deletion that is asked for now, which may be there already.

    `place`: person, owner, resource and record_id.
    """
    asked = Deletion(**place)
    asked.content = content
    now = {"content": sealed_text(asked, "content"), "state": State.PENDING, "since": Now()}
    now |= {"why": "", "not_before": Now() + timedelta(seconds=SECONDS)}
    mine = Deletion.objects.filter(**place)
    before = mine.filter(state=State.PENDING) | mine.filter(token=token, state=State.CANCELLED)
    again = before.order_by("-since").first()
    if again and before.filter(pk=again.pk).update(**now):
        again.refresh_from_db()
        return again
    row = {**place, **now, "workspace": workspace, "content": content}
    try:
        with transaction.atomic():
            return Deletion.objects.create(token=token or new_key(), **row)
    except IntegrityError:  # the same form twice at the same moment, or once more
        found = mine.filter(token=token).first()
    token = new_key()  # nobody else's can be used
    return found or Deletion.objects.create(token=token, **row)


@sensitive_variables()
def store_copy(
    *,
    person: User,
    owner: str,
    workspace: str,
    resource: str,
    record_id: int,
    token: str,
    copy: Copy,
) -> None:
    """Store the copy of a record that was deleted with this token, without a countdown."""
    row = {"person": person, "owner": owner, "resource": resource, "record_id": record_id}
    row |= {"content": copy._asdict(), "state": State.DONE, "workspace": workspace}
    Deletion.objects.get_or_create(token=token, defaults=row)


def is_known(token: str) -> bool:
    """Whether there is a deletion with this token."""
    return Deletion.objects.filter(token=token).exists()


def find_pending(person: User, owner: str, resource: str, record_id: int) -> Deletion | None:
    """The person's pending deletion of this record, if any."""
    mine = Deletion.objects.filter(person=person, owner=owner, state=State.PENDING)
    return mine.filter(resource=resource, record_id=record_id).first()


def of_person(person: User, workspace: str, *states: State) -> QuerySet[Deletion]:
    """A person's deletions in a workspace in the given states, newest first."""
    mine = Deletion.objects.filter(person=person, workspace=workspace, state__in=states)
    return mine.order_by("-since")


@sensitive_variables()
def copy_of(deletion: Deletion) -> Copy:
    """The copy; raises sealed.Unreadable."""
    return Copy(**deletion.content)


def label_of(deletion: Deletion) -> str:
    """What people call the record; "" where that cannot be opened any more."""
    return str(readable(deletion, "content").get("label", ""))


def seconds_until_due(pk: int) -> float | None:
    """Seconds until the worker may send a pending deletion, at most 0 from then on; None for one
    that it may not send.
    """
    pending = Deletion.objects.filter(pk=pk, state=State.PENDING, why="", not_before__isnull=False)
    found = pending.values_list("not_before", Now()).first()
    return (found[0] - found[1]).total_seconds() if found else None


def seconds_left(deletion: Deletion) -> int:
    """Whole seconds of the countdown; 0 when it has ended, and where it waits for the person."""
    return max(0, ceil(seconds_until_due(deletion.pk) or 0))


def phase_of(deletion: Deletion) -> Phase:
    """What happens next with it. One that no worker has sent in time is marked as waiting first, so
    that none sends it after the person was told that it waits.
    """
    late = Q(not_before__isnull=True) | Q(not_before__lte=Now() - SENT_WITHIN)
    if not deletion.why and _pending(deletion).filter(late, why="").update(why=LATE):
        deletion.why = LATE
    if deletion.why:
        return Phase.WAITING
    return Phase.COUNTING if seconds_left(deletion) else Phase.DUE


def counting_down(person: User, workspace: str) -> QuerySet[Deletion]:
    """The deletions whose countdown runs or has just ended, newest first."""
    mine = of_person(person, workspace, State.PENDING, State.SENT)
    return mine.filter(why="", not_before__gt=Now() - SENT_WITHIN)


def find_due(pk: int) -> Deletion | None:
    """The pending deletion if the worker may send it now: its countdown has ended, and not so long
    ago that nobody expects it any more.
    """
    return _due().filter(pk=pk).first()


def mark_sent(deletion: Deletion, token: str, *, by_worker: bool = False) -> bool:
    """Note that it is about to be sent; false if it was cancelled or has another token by now, or
    if the worker may not send it at this moment. A person may at any time.

    Raises django.db.Error.
    """
    not_done = Deletion.objects.filter(state__in=[State.PENDING, State.SENT])
    sendable = _due() if by_worker else not_done
    return bool(sendable.filter(pk=deletion.pk, token=token).update(state=State.SENT))


def explain(deletion: Deletion, why: str) -> None:
    """Note why a pending deletion was not sent: it waits until the person says so."""
    _pending(deletion).update(why=why)


def reschedule(deletion: Deletion, token: str, why: str) -> None:
    """Make it pending again under a new token, after nothing was sent with this one."""
    _update(deletion, token, token=new_key(), state=State.PENDING, why=why)


def replace_copy(deletion: Deletion, copy: Copy) -> None:
    """Store what the person is shown of a record that has changed."""
    deletion.content = copy._asdict()
    _pending(deletion).update(content=sealed_text(deletion, "content"))


def mark_done(deletion: Deletion, token: str) -> None:
    """Note that the record is deleted; the copy is kept for a week."""
    progress.run(complete, pk=deletion.pk, token=token)


def complete(*, pk: int, token: str) -> None:
    """Note that the record of a deletion that was sent with this token is deleted."""
    sent = Deletion.objects.filter(pk=pk, token=token, state=State.SENT)
    sent.update(state=State.DONE, since=Now())


def cancel(deletion: Deletion) -> bool:
    """Cancel it; false if it was sent before."""
    mine = Deletion.objects.filter(pk=deletion.pk, state=State.PENDING)
    return bool(mine.update(state=State.CANCELLED, content="", since=Now()))


def abandon(deletion: Deletion) -> None:
    """Give up a deletion whose outcome stays unknown."""
    now = {"state": State.CANCELLED, "content": "", "since": Now()}
    _update(deletion, deletion.token, **now)


def _due() -> QuerySet[Deletion]:
    """The deletions that the worker may send at this moment."""
    ended = Deletion.objects.filter(not_before__lte=Now(), not_before__gt=Now() - SENT_WITHIN)
    return ended.filter(state=State.PENDING, why="")


def _pending(deletion: Deletion) -> QuerySet[Deletion]:
    return Deletion.objects.filter(pk=deletion.pk, token=deletion.token, state=State.PENDING)


def _update(deletion: Deletion, sent_with: str, **values: object) -> None:
    """A row that cannot be updated must not make an answer of the service something else."""
    mine = Deletion.objects.filter(pk=deletion.pk, token=sent_with, state=State.SENT)
    try:
        mine.update(**values)
    except Error:
        logger.exception("a pending deletion could not be updated")
