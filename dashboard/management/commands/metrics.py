"""`manage.py metrics`: serves the figures of all processes of this machine, and those of the
database, to Prometheus.
"""

import os
import signal
import threading
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection, connections
from django.db.models import Count, Min, QuerySet
from django.utils import timezone
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from dashboard.accounts import mails
from dashboard.credentials.models import KeyPair
from dashboard.jobs.models import Job
from dashboard.ledger.models import Write
from dashboard.operations import workers
from dashboard.standin.command import port as a_port

Rows = QuerySet[Write] | QuerySet[Job]


class Gauges(Collector):
    """Collects the figures; without a database, only that it is away."""

    def collect(self) -> Iterator[Metric]:
        try:
            figures = list(_figures())
        except DatabaseError:
            figures = []
        finally:
            connections.close_all()  # the next scrape is minutes away, perhaps
        yield GaugeMetricFamily("desk_database_up", "Whether the database answers", bool(figures))
        yield from figures


def _figures() -> Iterator[Metric]:
    unsure = Write.objects.filter(state=Write.State.NOT_SURE, resolution=Write.Resolution.OPEN)
    yield _one("desk_not_sure", "Writes of unknown outcome that nobody has settled", unsure.count())
    yield _age("desk_not_sure_oldest_seconds", "Age of the oldest of them", unsure, "asked_at")
    jobs = GaugeMetricFamily("desk_jobs", "Jobs by their state", labels=["state"])
    counts = dict(Job.objects.values_list("state").annotate(Count("pk")))
    for state in Job.State.values:
        jobs.add_metric([state], counts.get(state, 0))
    yield jobs
    waiting = Job.objects.filter(state=Job.State.WAITING)
    yield _age("desk_job_oldest_wait_seconds", "Longest wait of a job", waiting, "created_at")
    deletions = Write.objects.filter(Write.COUNTED_DOWN, state=Write.State.WAITING)
    yield _one("desk_deletions_pending", "Deletions that were not sent yet", deletions.count())
    yield from _queue(workers.queue())
    waiting_mails, unsent = mails.waiting().count(), mails.given_up().count()
    yield _one("desk_mails_waiting", "Mails that were not sent yet", waiting_mails)
    yield _one("desk_mails_given_up", "Mails that are tried no more", unsent)
    refused = KeyPair.objects.filter(refused=True).count()
    yield _one("desk_keys_refused", "Key pairs that the service refuses", refused)
    yield _one("desk_database_connections", "Connections to the database", _connections())


def _queue(queue: workers.Queue) -> Iterator[Metric]:
    ago = queue.seen_ago
    silence = inf if ago is None else ago.total_seconds()
    wait = queue.oldest_wait.total_seconds()
    yield _one("desk_workers", "Workers that were seen in the last two minutes", queue.workers)
    yield _one("desk_worker_seen_seconds", "Time since a worker was seen", silence)
    yield _one("desk_tasks_waiting", "Tasks of workers that are due", queue.tasks)
    yield _one("desk_task_oldest_wait_seconds", "Longest wait of a task that is due", wait)


def _one(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(name, meaning, value)


def _age(name: str, meaning: str, rows: Rows, field: str) -> Metric:
    first = rows.aggregate(first=Min(field))["first"]
    return _one(name, meaning, (timezone.now() - first).total_seconds() if first else 0)


def _connections() -> int:
    """All connections to this PostgreSQL database, of every process; 1 with SQLite."""
    if connection.vendor != "postgresql":
        return 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


class Command(BaseCommand):
    """Serves /metrics on a port of its own until it is stopped."""

    help = (
        "Serve metrics for Prometheus on a port of their own. The site and its workers write "
        "theirs into the directory PROMETHEUS_MULTIPROC_DIR; figures from the database are added."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options --address and --port."""
        parser.add_argument("--address", default="127.0.0.1", help="where to listen (127.0.0.1)")
        parser.add_argument("--port", type=a_port, default=9100, help="its port (9100)")

    def handle(self, *, address: str, port: int, **options: Any) -> None:
        """Serve until SIGTERM or Ctrl+C. Raises CommandError without a directory,
        or where it cannot listen."""
        directory = os.environ.get("PROMETHEUS_MULTIPROC_DIR", "")
        if not Path(directory or "/missing").is_dir():
            raise CommandError("PROMETHEUS_MULTIPROC_DIR must name a directory of the site's.")
        registry = CollectorRegistry()
        registry.register(Counted(Path(directory)))
        registry.register(Gauges())
        try:
            server, thread = start_http_server(port, address, registry)
        except OSError as error:
            words = f"{address}, port {port}, cannot be listened on: {error.strerror}."
            raise CommandError(words) from None
        stopped = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: stopped.set())
        self.stdout.write(f"Metrics at http://{address}:{server.server_port}/metrics")
        with suppress(KeyboardInterrupt):
            stopped.wait()
        server.shutdown()
        thread.join()


class Counted(Collector):
    """What the processes have counted, also those that have ended.

    Gauges of a process that has ended, perhaps killed, are left out: nothing is paused in it.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def collect(self) -> Iterable[Metric]:
        """Read the files of the directory, which are named gauge_live..._PID.db and the like."""
        files = [
            str(file)
            for file in self._directory.glob("*.db")
            if not file.name.startswith("gauge_live") or _runs(file.stem.rpartition("_")[2])
        ]
        found: Iterable[Metric] = MultiProcessCollector.merge(files)  # type: ignore[no-untyped-call]
        return found


def _runs(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another account's
        return True
    return True
