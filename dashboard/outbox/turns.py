"""One at a time at one record: between our own threads and processes, through the database.

The API has no versions. Between the read that an edit is compared with and its PUT, nobody else of
this dashboard writes the same record; writers outside it cannot be kept away.
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone

from .models import Turn

LOOK_EVERY = 0.03  # seconds


class Taken(Exception):  # noqa: N818 (what it is, without Error)
    """Somebody else is still writing this record."""


@contextmanager
def turn(record: str) -> Iterator[None]:
    """Wait for the turn at a record, at most as long as one call to the API may take.

    Raises Taken, or DatabaseError where no turn can be noted at all; nothing was sent then.
    """
    holder = secrets.token_hex(8)
    _take(record, holder)
    try:
        yield
    finally:
        _give_back(record, holder)


def _take(record: str, holder: str) -> None:
    latest = time.monotonic() + settings.API_TIMEOUT + 1
    while not _taken(record, holder):
        if time.monotonic() > latest:
            raise Taken(record)
        time.sleep(LOOK_EVERY)


def _taken(record: str, holder: str) -> bool:
    now = timezone.now()
    longest = timedelta(seconds=3 * settings.API_TIMEOUT + 5)  # a read, a write, and some air
    Turn.objects.filter(record=record, until__lt=now).delete()
    try:
        with transaction.atomic():
            Turn.objects.create(record=record, holder=holder, until=now + longest)
    except IntegrityError:
        return False
    return True


def _give_back(record: str, holder: str) -> None:
    try:
        Turn.objects.filter(record=record, holder=holder).delete()
    except DatabaseError:  # it ends by itself
        return
