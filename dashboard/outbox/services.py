"""Noting a write before it is sent, and its outcome after.

A token is good for one write. Its row is committed before the first byte leaves, so that a second
press of the button, a second tab or a crash finds it and nothing is ever sent twice by accident.
"""

import hashlib
import json
import re
import secrets
import time
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from dashboard import cipher
from dashboard.accounts.models import User

from .models import Submission

State, Settled = Submission.State, Submission.Settled
PURPOSE = "outbox"
DECIMAL = "$decimal"
LOST_AFTER = 30.0  # seconds; well beyond the deadline of any call to the API
LOOK_EVERY = 0.05  # seconds
JUST = 15.0  # seconds


class NotRecorded(Exception):  # noqa: N818 (what it is, without Error)
    """The row could not be written, so nothing may be sent."""


class UsedToken(Exception):  # noqa: N818
    """This token was used before, by `first`."""

    def __init__(self, first: Submission) -> None:
        super().__init__()
        self.first = first


def new_token() -> str:
    """A token for one form."""
    return secrets.token_urlsafe(24)


def digest_of(body: dict[str, Any]) -> str:
    """Tells whether two bodies are the same without keeping either readable."""
    return hashlib.sha256(_text(body).encode()).hexdigest()


def begin(
    *,
    token: str,
    person: User,
    owner: str,
    resource: str,
    operation: str,
    record_id: int | None,
    label: str,
    body: dict[str, Any],
    typed: dict[str, Any],
    before: dict[str, Any],
) -> Submission:
    """Note a write that is about to be sent. Raises UsedToken or NotRecorded.

    `typed` is the person's own part of the body: the same form again is known by it. `before` is
    what the record held in the fields of the body.
    """
    try:
        with transaction.atomic(durable=True):
            return Submission.objects.create(
                token=token,
                person=person,
                owner=owner,
                resource=resource,
                operation=operation,
                record_id=record_id,
                body=_sealed({"label": label, "body": body, "before": before}, person.pk),
                digest=digest_of(typed),
            )
    except IntegrityError:
        first = Submission.objects.filter(token=token, person=person).first()
        if first is None:
            raise NotRecorded("the token is somebody else's") from None
        raise UsedToken(first) from None
    except DatabaseError as error:
        raise NotRecorded(type(error).__name__) from None


def finish(submission: Submission, state: str, **answer: Any) -> None:
    """Note the outcome. Should that fail, the row stays in sending, and is Not sure in a while."""
    submission.state = state
    submission.answer = _sealed(answer, submission.person_id)
    submission.finished_at = timezone.now()
    submission.record_id = submission.record_id or answer.get("id")
    submission.save(update_fields=["state", "answer", "finished_at", "record_id"])


def used(token: str, person: User) -> Submission | None:
    """What a token of this person was used for, if it was."""
    return Submission.objects.filter(token=token, person=person).first()


def begun(token: str, person: User) -> bool:
    """Whether a form of this token has sent anything, be it one of several writes."""
    mine = Submission.objects.filter(person=person)
    return mine.filter(Q(token=token) | Q(token__startswith=f"{token}:")).exists()


def token_for_again(first: Submission, shown: str = "") -> str:
    """The token under which a Not sure is sent again: a new one after a time that was refused.

    `shown`: the one on the page whose button was pressed, so that pressed twice it sends once,
    also where the second press comes after the first was refused.
    """
    if re.fullmatch(rf"{re.escape(first.token)}\+[0-9]{{0,3}}", shown):
        return shown
    token, count = f"{first.token}+", 0
    while (earlier := used(token, first.person)) and earlier.state == State.NOT_SAVED:
        count += 1
        token = f"{first.token}+{count}"
    return token


def same_form(again: Submission, first: Submission) -> None:
    """Let what was sent again be known by the form of the first time."""
    again.digest = first.digest
    again.save(update_fields=["digest"])


def just_saved(person: User, resource: str, record_id: int) -> Submission | None:
    """The person's last write of a record, if it was saved a moment ago."""
    last = Submission.objects.filter(person=person, resource=resource, record_id=record_id)
    found = last.exclude(operation="delete").order_by("-pk").first()
    since = timezone.now() - timedelta(seconds=JUST)
    fresh = found and found.state == State.SAVED and found.finished_at
    return found if found and fresh and fresh > since else None


def outcome_of(submission: Submission) -> Submission:
    """The row once its outcome is known; waits for the request that is still sending it."""
    while submission.state == State.SENDING:
        age = (timezone.now() - submission.started_at).total_seconds()
        if age > LOST_AFTER:
            give_up_lost()
        else:
            time.sleep(LOOK_EVERY)
        submission.refresh_from_db()
    return submission


def give_up_lost() -> int:
    """Call Not sure whatever has been sending for longer than any call takes: its worker died."""
    before = timezone.now() - timedelta(seconds=LOST_AFTER)
    lost = Submission.objects.filter(state=State.SENDING, started_at__lt=before)
    return lost.update(state=State.NOT_SURE, finished_at=timezone.now())


def count_unresolved(person: User) -> int:
    """How many writes of a person are under way or have an unknown outcome. One query."""
    unresolved = [State.NOT_SURE, State.SENDING]
    mine = Submission.objects.filter(person=person, state__in=unresolved, settled=Settled.OPEN)
    return mine.count()


def open_ones(person: User) -> list[Submission]:
    """The person's writes that are Not sure and not settled, newest first."""
    give_up_lost()
    mine = Submission.objects.filter(person=person, state=State.NOT_SURE, settled=Settled.OPEN)
    return list(mine.order_by("-started_at"))


def holds(person: User, token: str) -> bool:
    """Whether what was sent with a form's token is under way, not sure yet, or saved."""
    mine = Submission.objects.filter(person=person, token__startswith=token)
    unclear = Q(state=State.SENDING) | Q(state=State.NOT_SURE, settled=Settled.OPEN)
    saved = Q(token=token) & (Q(state=State.SAVED) | Q(settled=Settled.FOUND))
    return mine.filter(unclear | saved).exists()


def body_of(submission: Submission) -> dict[str, Any]:
    """The exact body that was sent; raises cipher.Unreadable."""
    body: dict[str, Any] = _opened(submission.body, submission.person_id)["body"]
    return body


def before_of(submission: Submission) -> dict[str, Any]:
    """What the record held in the fields of the body, as text; raises cipher.Unreadable."""
    before: dict[str, Any] = _opened(submission.body, submission.person_id).get("before", {})
    return before


def label_of(submission: Submission) -> str:
    """What people called the record; "" where that can no longer be opened."""
    try:
        return str(_opened(submission.body, submission.person_id)["label"])
    except cipher.Unreadable:
        return ""


def answer_of(submission: Submission) -> dict[str, Any]:
    """What the service answered; raises cipher.Unreadable, also where there is none."""
    return _opened(submission.answer, submission.person_id)


def settle(submission: Submission, how: str) -> bool:
    """Settle a Not sure, once: false if somebody (another tab) has settled it meanwhile."""
    mine = Submission.objects.filter(pk=submission.pk, state=State.NOT_SURE, settled=Settled.OPEN)
    return bool(mine.update(settled=how))


def purge() -> int:
    """Delete what was sent more than AUDIT_RETENTION_DAYS ago and is settled; how many."""
    before = timezone.now() - timedelta(days=settings.AUDIT_RETENTION_DAYS)
    old = Submission.objects.filter(started_at__lt=before)
    return old.exclude(state=State.NOT_SURE, settled=Settled.OPEN).delete()[0]


def _sealed(value: dict[str, Any], owner: int) -> str:
    return cipher.seal(_text(value), owner=owner, purpose=PURPOSE)


def _opened(sealed: str, owner: int) -> dict[str, Any]:
    text = cipher.unseal(sealed, owner=owner, purpose=PURPOSE)
    found: dict[str, Any] = json.loads(text, object_hook=_read)
    return found


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, default=_write, ensure_ascii=False)


def _write(value: object) -> object:
    """Amounts stay exact amounts and are not turned into text; dates go as the API writes them."""
    return {DECIMAL: str(value)} if isinstance(value, Decimal) else str(value)


def _read(value: dict[str, Any]) -> Any:
    return Decimal(value[DECIMAL]) if value.keys() == {DECIMAL} else value
