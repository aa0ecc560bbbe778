"""Worker heartbeats, queued tasks, and the time of the last backup. A heartbeat alone does not
prove that tasks are processed; the wait of the oldest task does.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Event, Thread
from typing import Any

import structlog
from django.db import DatabaseError, connection, models
from django.db.models import DurationField, ExpressionWrapper, F, Min, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from dashboard.core.retention import Retention, RetentionRule
from dashboard.text.dates import duration

HEARTBEAT_INTERVAL = timedelta(seconds=20)
HEARTBEAT_TIMEOUT = timedelta(seconds=45)

logger = structlog.stdlib.get_logger(__name__)


class Worker(models.Model):
    """A worker process, until it ends. name: its machine and number. seen: its last heartbeat.
    is_reported: its death was logged.
    """

    name = models.CharField(max_length=150, primary_key=True)
    seen = models.DateTimeField(db_default=Now(), db_index=True)
    is_reported = models.BooleanField(default=False)

    retention = Retention("workers that died", RetentionRule(timedelta(days=7), since="seen"))

    def __str__(self) -> str:
        return f"worker {self.name}"


class Backup(models.Model):
    """A single row: when `manage.py backup --keep` last made a backup."""

    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"backup of {self.made_at}"


@dataclass(frozen=True)
class Queue:
    """The queued tasks. seen_ago: the time since the last heartbeat of any worker, None without
    any. oldest_wait: the wait of the oldest due task.
    """

    seen_ago: timedelta | None
    workers: int
    tasks: int
    oldest_wait: timedelta

    @property
    def is_silent(self) -> bool:
        return self.seen_ago is None or self.seen_ago > HEARTBEAT_TIMEOUT

    @property
    def message(self) -> str:
        if self.seen_ago is None:
            return "No worker is running. Deletions, jobs and emails are on hold."
        time = duration(self.seen_ago)
        return f"No worker has reported for {time}. Deletions, jobs and emails are on hold."


def read_queue() -> Queue:
    """Read the queue, with heartbeats by the database's clock. Raises DatabaseError."""
    ago = ExpressionWrapper(Now() - F("seen"), output_field=DurationField())
    latest = Worker.objects.order_by("-seen").annotate(ago=ago)
    due, now = DBTaskResult.objects.ready(), timezone.now()
    return Queue(
        seen_ago=latest.values_list("ago", flat=True).first(),
        workers=_alive().count(),
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


def _alive() -> QuerySet[Worker]:
    return Worker.objects.filter(seen__gte=Now() - HEARTBEAT_TIMEOUT)


def has_worker() -> bool:
    """Return whether a worker has reported lately. Raises DatabaseError."""
    return _alive().exists()


def store_heartbeat(name: str) -> None:
    if not Worker.objects.filter(pk=name).update(seen=Now(), is_reported=False):
        Worker(pk=name).save(force_insert=True)


@contextmanager
def heartbeats() -> Iterator[None]:
    """Store heartbeats of this process, in a thread of its own, until the block ends. A row of a
    worker without heartbeats shows that it was killed.
    """
    name = _own_name()
    store_heartbeat(name)
    ended = Event()
    thread = Thread(target=_beat, args=(name, ended), name="signs of life", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        with suppress(DatabaseError):
            forget_worker()


def forget_worker() -> None:
    """Delete the row of this process. Raises DatabaseError."""
    Worker.objects.filter(pk=_own_name()).delete()


def _own_name() -> str:
    return f"{socket.gethostname()[:100]}:{os.getpid()}"


def _beat(name: str, ended: Event) -> None:
    while not ended.wait(HEARTBEAT_INTERVAL.total_seconds()):
        with suppress(DatabaseError):  # the worker's own statements end it if that lasts
            store_heartbeat(name)
        connection.close()


def watch_workers() -> None:
    Thread(target=_watch, name="watch workers", daemon=True).start()


def _watch() -> None:
    never = Event()
    while not never.wait(HEARTBEAT_INTERVAL.total_seconds() / 2):
        with suppress(DatabaseError):
            report_dead_workers()
        connection.close()


def report_dead_workers() -> None:
    """Log each worker that died, once among all processes. Raises DatabaseError."""
    dead = Worker.objects.filter(seen__lt=Now() - HEARTBEAT_TIMEOUT, is_reported=False)
    for name in list(dead.values_list("name", flat=True)):
        if dead.filter(pk=name).update(is_reported=True):
            logger.error("a worker died", worker=name)
