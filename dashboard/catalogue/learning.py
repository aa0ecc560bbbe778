"""Every id that a record carries and nobody has named is written down, with where it was seen."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from django.db import DatabaseError, connection, transaction

from . import snapshot
from .kinds import WORDS, code_of
from .models import Entry, Sighting

logger = logging.getLogger(__name__)

MOST_WORDS = 500
PATIENCE_MS = 20

Found = dict[tuple[str, str], "Seen"]


class Seen(NamedTuple):
    """An id or a word that a record carried.

    `url` and `place` are the record's page and what to call it; `name` is what the service itself
    called the id, where it did.
    """

    kind: str
    value: object
    url: str
    place: str
    name: str = ""


def see(workspace: str, seen: Iterable[Seen]) -> None:
    """Write down what is new. Called as a page is read: without news it costs no query, and it
    never waits for the database nor fails; what could not be written is new again next time.
    """
    lists = snapshot.of(workspace)
    if lists is snapshot.NOTHING:
        return
    news = _news(lists, seen)
    if not news:
        return
    try:
        with _without_waiting(), transaction.atomic():
            _write(workspace, lists, news)
    except DatabaseError as error:
        logger.info("not written down now: %s new ids (%s)", len(news), type(error).__name__)
        return
    lists.known.update(news)
    if any(kind in WORDS for kind, _ in news):
        snapshot.forget(workspace)


def _news(lists: snapshot.Lists, seen: Iterable[Seen]) -> Found:
    news: Found = {}
    for one in seen:
        key = (one.kind, code_of(one.kind, one.value))
        if key[1] and key not in lists.known and key[1] not in lists.of(one.kind):
            news.setdefault(key, one)
    return news


def _write(workspace: str, lists: snapshot.Lists, news: Found) -> None:
    key = snapshot.normal(workspace)
    sightings = [
        Sighting(
            workspace=key, kind=kind, code=code, url=one.url[:200], place=one.place[:100],
            name=one.name[:200],
        )
        for (kind, code), one in news.items()
        if kind not in WORDS
    ]  # fmt: skip
    words = [
        Entry(workspace=key, kind=kind, code=code, name=" ".join(str(one.value).split())[:200],
              position=len(lists.of(kind)))
        for (kind, code), one in news.items()
        if kind in WORDS and len(lists.of(kind)) < MOST_WORDS
    ]  # fmt: skip
    Sighting.objects.bulk_create(sightings, ignore_conflicts=True)
    if words:
        Entry.objects.bulk_create(words, ignore_conflicts=True)
        snapshot.changed(workspace)


@contextmanager
def _without_waiting() -> Iterator[None]:
    """SQLite waits seconds for another writer; a page that is only read must not."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        patience = cursor.fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {int(patience)}")
