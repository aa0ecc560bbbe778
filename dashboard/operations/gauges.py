"""Figures from the database, read whenever the metrics are asked for."""

from collections.abc import Iterator

from django.db import DatabaseError, connection, connections
from django.db.models import Count, Min, QuerySet
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dashboard.credentials.models import KeyPair
from dashboard.jobs.models import Job
from dashboard.ledger.models import Write

Rows = QuerySet[Write] | QuerySet[Job]


class Gauges(Collector):
    """Collects the figures; without a database, only that it is away."""

    def collect(self) -> Iterator[Metric]:
        try:
            found = list(_figures())
        except DatabaseError:
            found = []
        finally:
            connections.close_all()  # the next scrape is minutes away, perhaps
        yield GaugeMetricFamily("desk_database_up", "Whether the database answers", bool(found))
        yield from found


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
    refused = KeyPair.objects.filter(refused=True).count()
    yield _one("desk_keys_refused", "Key pairs that the service refuses", refused)
    yield _one("desk_database_connections", "Connections to the database", _connections())


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
