"""Locks on single records, so that two edits through this dashboard never overlap.

The API has no versions. An edit reads the record, compares it with what the person saw and then
writes it; in between nobody else may write the same record. The lock is a row in the database with
an end, and the database's clock alone decides whether that end has passed: servers whose clocks
differ agree on it. A transaction that stays open during the API call would block every writer on
SQLite, and would hold back the ledger row that has to be committed before the first byte leaves.

Nothing waits for a lock: whoever comes second gets `Locked` at once. The holder renews the lock in
the transaction that commits the ledger row (ledger.begin). A holder who was too slow and lost the
lock to somebody else therefore sends nothing. What cannot be excluded is a process that stops for
longer than the lease between that commit and the first byte. Writers outside this dashboard are not
kept away.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from dashboard.core import after_response

from .models import RecordLock

GRACE = 20  # seconds beyond both calls for commits (SQLite waits up to 5 s) and a busy machine


class Locked(Exception):  # noqa: N818 (what it is, without Error)
    """The record is being written. `token`: of the form that holds the lock, "" if it is gone."""

    def __init__(self, token: str) -> None:
        super().__init__()
        self.token = token


def longest_call() -> timedelta:
    """How long a write, the read that confirms it, and the database work take at most."""
    return timedelta(seconds=2 * settings.API_TIMEOUT + GRACE)


@contextmanager
def record_lock(record: str, token: str) -> Iterator[RecordLock]:
    """Hold the lock of a record, such as "tasks/17", for the form with this token.

    Raises Locked, or django.db.Error if no lock can be stored.
    """
    lock = _acquire(record, token)
    try:
        yield lock
    finally:
        after_response.attempt(delete_lock, pk=lock.pk)


def renew(lock: RecordLock) -> None:
    """Extend a lock by a whole lease. Raises Locked if somebody else has taken the record over.

    A lock whose end has passed is still its holder's until another form acquires it.
    """
    if not RecordLock.objects.filter(pk=lock.pk).update(until=Now() + longest_call()):
        raise Locked(_token_of_holder(lock.record))


def is_held_by(token: str) -> bool:
    """Whether a form with this token is between reading and writing a record at this moment."""
    return RecordLock.objects.filter(token=token, until__gt=Now()).exists()


def _acquire(record: str, token: str) -> RecordLock:
    try:
        return _stored(record, token)
    except IntegrityError:  # somebody holds it, or did so and died
        RecordLock.objects.filter(record=record, until__lte=Now()).delete()
    try:
        return _stored(record, token)
    except IntegrityError:
        raise Locked(_token_of_holder(record)) from None


def _stored(record: str, token: str) -> RecordLock:
    with transaction.atomic():
        return RecordLock.objects.create(record=record, token=token, until=Now() + longest_call())


def _token_of_holder(record: str) -> str:
    token = RecordLock.objects.filter(record=record).values_list("token", flat=True).first()
    return token or ""


def delete_lock(*, pk: int) -> None:
    """Delete a lock. One that could not be deleted in time ends by itself."""
    RecordLock.objects.filter(pk=pk).delete()
