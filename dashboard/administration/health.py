"""/healthz and /readyz: whether this process runs, and whether it can serve pages; /metrics.

A proxy or supervisor asks without signing in. The parts are named to this machine alone.
"""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryFile

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.utils.crypto import get_random_string
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from dashboard import __version__
from dashboard.administration.models import has_worker
from dashboard.people.keys import service
from dashboard.site.checks import unknown_migrations

CACHE_KEY = "readyz"
CHECK_TIMEOUT = 1.5  # seconds for all parts; one without an answer by then is not ready
PROBE_SIZE = 64 * 1024  # bytes written to the disk of the database
LOCAL = ("127.0.0.1", "::1", "")  # "" of a unix socket


@login_not_required
@require_safe
def is_alive(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@require_safe
def is_ready(request: HttpRequest) -> HttpResponse:
    """Return 200 if every part works, else 503. Programs on this machine also get {"database":
    true, ...} and the release. Answers within two seconds. With ?workers=1 a worker is a part, too.

    `service` says whether calls to the External Business API are paused. It does not change the
    status, as the site has its own pages for that.
    """
    checks = {**CHECKS, "workers": has_worker} if request.GET.get("workers") == "1" else CHECKS
    if connection.vendor != "sqlite" or _cache_is_shared():  # another server may not answer at all
        parts = in_time(checks)
    else:
        parts = {name: _passes(check) for name, check in checks.items()}
    status = HTTPStatus.OK if all(parts.values()) else HTTPStatus.SERVICE_UNAVAILABLE
    if not _is_local(request):
        return JsonResponse({"ready": status == HTTPStatus.OK}, status=status)
    state = "paused" if service().breaker.is_open else "asked"
    return JsonResponse({**parts, "service": state, "version": __version__}, status=status)


@login_not_required
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics of all processes of this machine for Prometheus on it; 404 for others, and
    without PROMETHEUS_MULTIPROC_DIR.
    """
    if not (settings.METRICS_DIR and _is_local(request)):
        raise Http404
    registry = CollectorRegistry()
    MultiProcessCollector(registry, settings.METRICS_DIR)  # type: ignore[no-untyped-call]
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


_under_way: dict[Callable[[], bool], Future[bool]] = {}
_threads = ThreadPoolExecutor(max_workers=8, thread_name_prefix="readyz")


def in_time(
    checks: Mapping[str, Callable[[], bool]], timeout: float = CHECK_TIMEOUT
) -> dict[str, bool]:
    """Run the checks concurrently; a check that takes longer than `timeout` is False. It continues,
    and is not started again before it has ended.
    """
    calls = {name: _start(check) for name, check in checks.items()}
    wait(calls.values(), timeout=timeout)
    return {name: call.done() and call.result() for name, call in calls.items()}


def _start(check: Callable[[], bool]) -> Future[bool]:
    known = _under_way.get(check)
    if known is None or known.done():
        known = _under_way[check] = _threads.submit(_closing, check)
    return known


def _closing(check: Callable[[], bool]) -> bool:
    try:
        return _passes(check)
    finally:
        connection.close()  # this thread's own


def _passes(check: Callable[[], bool]) -> bool:
    try:
        return check()
    except (DatabaseError, OSError, ValueError):
        return False


def _is_local(request: HttpRequest) -> bool:
    """Return whether the client is on this machine: loopback or a unix socket, without a proxy,
    which would name the address of its client.
    """
    from_here = request.META.get("REMOTE_ADDR", "") in LOCAL
    return from_here and "X-Forwarded-For" not in request.headers


def database_answers() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True


def disk_takes_writes() -> bool:
    """Return whether the disk takes writes; True if the database is on another server. Raises
    OSError if the disk of SQLite is full.
    """
    if connection.vendor != "sqlite":
        return True
    folder = Path(connection.settings_dict["NAME"]).parent
    with TemporaryFile(dir=folder) as probe:
        probe.write(bytes(PROBE_SIZE))
        probe.flush()
        os.fsync(probe.fileno())
    return True


def migrations_applied() -> bool:
    """Return whether the tables are those of this release: no migration is missing, and none
    belongs to a later one.
    """
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return not (missing or unknown_migrations(executor.loader))


def cache_answers() -> bool:
    """Return whether the cache keeps a value; True if each process has its own in its memory."""
    if not _cache_is_shared():
        return True
    value = get_random_string(12)
    cache.set(CACHE_KEY, value, 10)
    return bool(cache.get(CACHE_KEY))


def _cache_is_shared() -> bool:
    return str(settings.CACHES["default"]["BACKEND"]).endswith("RedisCache")


def static_files_collected() -> bool:
    """Return whether the static files are there. Raises ValueError if they are not in the
    manifest.
    """
    return bool(staticfiles_storage.url("site.css"))


CHECKS: dict[str, Callable[[], bool]] = {
    "database": database_answers,
    "disk": disk_takes_writes,
    "migrations": migrations_applied,
    "cache": cache_answers,
    "static files": static_files_collected,
}


urlpatterns = [
    path("healthz", is_alive, name="healthz"),
    path("readyz", is_ready, name="readyz"),
    path("metrics", metrics, name="metrics"),
]
