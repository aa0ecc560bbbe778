"""Records the ids without a name that are found in records, and words to suggest again."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from django.db import Error, connection, transaction

from . import cached_lists
from .cached_lists import CachedLists
from .kinds import WORDS, code_of
from .models import ListEntry, UnnamedReference

logger = logging.getLogger(__name__)

MOST_WORDS = 500  # of one list of suggestions
BUSY_TIMEOUT_MS = 20

ByCode = dict[tuple[str, str], "SeenReference"]


class SeenReference(NamedTuple):
    """An id or a word that was found in a record.

    `url` and `place` are the address and the name of the record's page; `name` is the name that the
    service itself gave for the id, "" if it gave none.
    """

    kind: str
    value: object
    url: str
    place: str
    name: str = ""


def record_references(workspace: str, seen: Iterable[SeenReference]) -> None:
    """Record the references that are new. Called as a page is read: without new ones it makes no
    query, it waits at most 20 ms for the database, and a failure is logged and not raised. A
    reference that could not be recorded is recorded the next time.
    """
    lists = cached_lists.of(workspace)
    if lists is cached_lists.NOTHING:
        return
    new = _new(lists, seen)
    if not new:
        return
    try:
        with _without_waiting(), transaction.atomic():
            _write(workspace, lists, new)
    except Error as error:
        logger.info("not recorded now: %s new ids (%s)", len(new), type(error).__name__)
        return
    lists.known.update(new)
    if any(kind in WORDS for kind, _ in new):
        cached_lists.forget(workspace)


def _new(lists: CachedLists, seen: Iterable[SeenReference]) -> ByCode:
    new: ByCode = {}
    for one in seen:
        key = (one.kind, code_of(one.kind, one.value))
        if key[1] and key not in lists.known and key[1] not in lists.of(one.kind):
            new.setdefault(key, one)
    return new


def _write(workspace: str, lists: CachedLists, new: ByCode) -> None:
    key = cached_lists.normal(workspace)
    unnamed = [
        UnnamedReference(
            workspace=key, kind=kind, code=code, url=one.url[:200], place=one.place[:100],
            name=one.name[:200],
        )
        for (kind, code), one in new.items()
        if kind not in WORDS
    ]  # fmt: skip
    words = [
        ListEntry(workspace=key, kind=kind, code=code, name=" ".join(str(one.value).split())[:200],
              position=len(lists.of(kind)))
        for (kind, code), one in new.items()
        if kind in WORDS and len(lists.of(kind)) < MOST_WORDS
    ]  # fmt: skip
    UnnamedReference.objects.bulk_create(unnamed, ignore_conflicts=True)
    if words:
        ListEntry.objects.bulk_create(words, ignore_conflicts=True)
        cached_lists.begin_version(workspace)


@contextmanager
def _without_waiting() -> Iterator[None]:
    """Keep SQLite from waiting seconds for another writer while a page is read."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        timeout = cursor.fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {int(timeout)}")
