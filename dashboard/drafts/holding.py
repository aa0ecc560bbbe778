"""Deletions that are held back, and copies of what was deleted. Nothing is sent here."""

import json
import logging
from datetime import timedelta
from decimal import Decimal
from math import ceil
from typing import Any, NamedTuple

from django.conf import settings
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from dashboard import cipher, rotation
from dashboard.accounts.models import User

from .marks import new_key
from .models import Deletion

logger = logging.getLogger(__name__)

PURPOSE = "deletions"
DECIMAL = "$decimal"
SECONDS = 8  # that a deletion is held at least, unless the person says "now"
COUNTS_FOR = timedelta(seconds=60)  # a page that counted longer than this has slept meanwhile
COPY_FOR = timedelta(days=7)
UNDONE_FOR = timedelta(days=1)

State = Deletion.State


class Copy(NamedTuple):
    """What people call a record, and the record as it was read."""

    label: str
    raw: dict[str, Any]


@sensitive_variables()
def hold(
    *,
    person: User,
    owner: str,
    workspace: str,
    resource: str,
    record_id: int,
    token: str,
    copy: Copy,
) -> Deletion:
    """Hold a deletion back from now on. There is one for a record at a time, and one for a token.

    Raises DatabaseError: it could not be noted down.
    """
    place = {"person": person, "owner": owner, "resource": resource, "record_id": record_id}
    now = {"sealed": _sealed(copy, person.pk), "state": State.HELD, "since": timezone.now()}
    mine = Deletion.objects.filter(**place)
    before = mine.filter(state=State.HELD) | mine.filter(token=token, state=State.UNDONE)
    again = before.order_by("-since").first()
    if again and before.filter(pk=again.pk).update(**now):
        again.refresh_from_db()
        return again
    try:
        with transaction.atomic():
            return Deletion.objects.create(
                token=token or new_key(), workspace=workspace, **place, **now
            )
    except IntegrityError:  # the same form twice at the same moment, or once more
        found = mine.filter(token=token).first()
    token = new_key()  # nobody else's can be used
    return found or Deletion.objects.create(token=token, workspace=workspace, **place, **now)


@sensitive_variables()
def keep_copy(
    *,
    person: User,
    owner: str,
    workspace: str,
    resource: str,
    record_id: int,
    token: str,
    copy: Copy,
) -> None:
    """Keep the copy of a record that another form has deleted with this token."""
    row = {"person": person, "owner": owner, "workspace": workspace, "resource": resource}
    row |= {"sealed": _sealed(copy, person.pk), "state": State.DONE, "record_id": record_id}
    try:
        Deletion.objects.get_or_create(token=token, defaults=row)
    except DatabaseError:
        logger.exception("the copy of a deleted record could not be kept")


def waiting(person: User, owner: str, resource: str, record_id: int) -> Deletion | None:
    """The person's own, if one is held for this record."""
    mine = Deletion.objects.filter(person=person, owner=owner, state=State.HELD)
    return mine.filter(resource=resource, record_id=record_id).first()


def of_person(person: User, workspace: str, *states: State) -> QuerySet[Deletion]:
    """The deletions that a person asked for in a workspace, newest first."""
    mine = Deletion.objects.filter(person=person, workspace=workspace, state__in=states)
    return mine.order_by("-since")


@sensitive_variables()
def copy_of(deletion: Deletion) -> Copy:
    """The copy; raises cipher.Unreadable."""
    text = cipher.unseal(deletion.sealed, owner=deletion.person_id, purpose=PURPOSE)
    found = json.loads(text, object_hook=_read)
    return Copy(found["label"], found["raw"])


def label_of(deletion: Deletion) -> str:
    """What people call the record; "" where that cannot be opened any more."""
    try:
        return copy_of(deletion).label
    except cipher.Unreadable:
        return ""


def seconds_left(deletion: Deletion) -> int:
    """Until it may be sent without another word; 0 from then on."""
    left = timedelta(seconds=SECONDS) - (timezone.now() - deletion.since)
    return max(0, ceil(left.total_seconds()))


def is_ripe(deletion: Deletion) -> bool:
    """Whether it may be sent by the page that counted down for it: not too early, nor long after,
    when that page has slept and nobody expects it any more.
    """
    age = timezone.now() - deletion.since
    return timedelta(seconds=SECONDS) <= age <= COUNTS_FOR


def take(deletion: Deletion, token: str) -> bool:
    """It is about to be sent with this token; false if it was undone, or has another by now.

    Raises DatabaseError.
    """
    mine = Deletion.objects.filter(pk=deletion.pk, token=token)
    return bool(mine.filter(state__in=[State.HELD, State.SENT]).update(state=State.SENT))


def release(deletion: Deletion, token: str) -> None:
    """What was sent with this token came to nothing: it is held again, for a token of its own."""
    _update(deletion, token, token=new_key(), state=State.HELD)


def renew(deletion: Deletion, token: str, copy: Copy) -> None:
    """The record is not what it was: it is held again, with this copy."""
    sealed = _sealed(copy, deletion.person_id)
    _update(deletion, token, sealed=sealed, state=State.HELD, since=timezone.now())


def done(deletion: Deletion, token: str) -> None:
    """The record is gone; the copy stays for a while."""
    _update(deletion, token, state=State.DONE, since=timezone.now())


def undo(deletion: Deletion) -> bool:
    """The person keeps the record; false if it was too late for that."""
    mine = Deletion.objects.filter(pk=deletion.pk, state=State.HELD)
    return bool(mine.update(state=State.UNDONE, sealed="", since=timezone.now()))


def let_go(deletion: Deletion) -> None:
    """What was sent had an unknown outcome, and the person lets it rest."""
    now = {"state": State.UNDONE, "sealed": "", "since": timezone.now()}
    _update(deletion, deletion.token, **now)


def purge() -> int:
    """Delete what is older than it is to be kept; how many that were."""
    now, longest = timezone.now(), timedelta(days=settings.DRAFT_RETENTION_DAYS)
    ages = {
        State.HELD: longest,
        State.SENT: longest,
        State.DONE: min(COPY_FOR, longest),
        State.UNDONE: UNDONE_FOR,
    }
    rows = Deletion.objects.all()
    old = [rows.filter(state=state, since__lt=now - age) for state, age in ages.items()]
    return sum(deletions.delete()[0] for deletions in old)


def rotate() -> rotation.Report:
    """Bring every copy under the first encryption key."""
    return rotation.rotate(Deletion.objects.all(), "sealed", owner="person_id", purpose=PURPOSE)


def _update(deletion: Deletion, sent_with: str, **values: object) -> None:
    """A row that cannot be updated must not make an answer of the service something else."""
    mine = Deletion.objects.filter(pk=deletion.pk, token=sent_with, state=State.SENT)
    try:
        mine.update(**values)
    except DatabaseError:
        logger.exception("a held deletion could not be updated")


def _sealed(copy: Copy, owner: int) -> str:
    text = json.dumps(copy._asdict(), default=_write, ensure_ascii=False)
    return cipher.seal(text, owner=owner, purpose=PURPOSE)


def _write(value: object) -> object:
    """Fractions come as Decimal, and stay exact."""
    return {DECIMAL: str(value)}


def _read(value: dict[str, Any]) -> Any:
    return Decimal(value[DECIMAL]) if value.keys() == {DECIMAL} else value
