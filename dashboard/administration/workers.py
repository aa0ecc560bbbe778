"""Worker heartbeats and the tasks that wait.

A worker process writes a heartbeat every BEAT. A heartbeat alone does not prove that its tasks go
on: the wait of the oldest task does.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Event, Thread
from typing import Any

from django.db import DatabaseError, connection
from django.db.models import DurationField, ExpressionWrapper, F, Min, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from dashboard.administration.models import Worker
from dashboard.text.dates import duration

BEAT = timedelta(seconds=20)
HEARTBEAT_TIMEOUT = timedelta(minutes=2)


@dataclass(frozen=True)
class Queue:
    """The waiting tasks. seen_ago: since the last heartbeat of any worker, None for never.
    oldest_wait: of the task that is due longest.
    """

    seen_ago: timedelta | None
    workers: int
    tasks: int
    oldest_wait: timedelta

    @property
    def is_silent(self) -> bool:
        return self.seen_ago is None or self.seen_ago > HEARTBEAT_TIMEOUT

    @property
    def words(self) -> str:
        if self.seen_ago is None:
            return "No worker has been seen yet: deletions, jobs and mails wait."
        time = duration(self.seen_ago)
        return f"No worker has been seen for {time}: deletions, jobs and mails wait."


def queue() -> Queue:
    """Heartbeats go by the database's clock. Raises DatabaseError."""
    ago = ExpressionWrapper(Now() - F("seen"), output_field=DurationField())
    latest = Worker.objects.order_by("-seen").annotate(ago=ago)
    due, now = DBTaskResult.objects.ready(), timezone.now()
    return Queue(
        seen_ago=latest.values_list("ago", flat=True).first(),
        workers=Worker.objects.filter(seen__gte=Now() - HEARTBEAT_TIMEOUT).count(),
        tasks=due.count(),
        oldest_wait=max(now - _oldest(due, now), timedelta()),
    )


def _oldest(due: QuerySet[DBTaskResult[..., Any]], now: datetime) -> datetime:
    """Return the time since which the oldest due task waits; `now` without any. A task without a
    delay has a time in the far future (django-tasks-db).
    """
    planned = due.filter(run_after__lte=now).aggregate(first=Min("run_after"))["first"]
    at_once = due.filter(run_after__gt=now).aggregate(first=Min("enqueued_at"))["first"]
    return min(filter(None, (planned, at_once)), default=now)


def is_served() -> bool:
    try:
        return Worker.objects.filter(seen__gte=Now() - HEARTBEAT_TIMEOUT).exists()
    except DatabaseError:
        return False


def note_life(name: str) -> None:
    """Store a heartbeat of the worker of this name. Raises DatabaseError."""
    if not Worker.objects.filter(pk=name).update(seen=Now()):
        Worker(pk=name).save(force_insert=True)


@contextmanager
def seen() -> Iterator[None]:
    """Store heartbeats of this process, in a thread of its own, until the block ends."""
    name = f"{socket.gethostname()[:100]}:{os.getpid()}"
    note_life(name)
    ended = Event()
    thread = Thread(target=_beat, args=(name, ended), name="signs of life", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _beat(name: str, ended: Event) -> None:
    while not ended.wait(BEAT.total_seconds()):
        with suppress(DatabaseError):  # the worker's own statements end it if that lasts
            note_life(name)
        connection.close()
