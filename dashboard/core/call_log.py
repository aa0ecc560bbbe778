"""Measures calls to the service, for the metrics and the log line of a request."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from prometheus_client import Gauge, Histogram

SECONDS = Histogram(
    "desk_api_call_seconds",
    "Calls to the External Business API, each with its retries",
    ("endpoint", "operation", "outcome"),
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40),
)
# As with all metrics of processes, a label keeps the import from writing a file.
BREAKERS_OPEN = Gauge(
    "desk_breakers_open",
    "Processes that hold back all calls (service), and key pairs whose calls one holds back (keys)",
    ("of",),
    multiprocess_mode="livesum",
)


@dataclass
class Tally:
    """The calls of one request, also those that other threads make for it."""

    calls: int = 0
    seconds: float = 0.0  # of all calls together; calls side by side overlap


_tally: ContextVar[Tally | None] = ContextVar("tally", default=None)


def note(endpoint: str, operation: str, outcome: str, seconds: float) -> None:
    """Count a call that has ended, such as ("contacts", "update", "Rejected", 0.3)."""
    SECONDS.labels(endpoint, operation, outcome).observe(seconds)
    tally = _tally.get()
    if tally:
        tally.calls += 1
        tally.seconds += seconds


def note_breakers(*, is_open: bool, pairs: int) -> None:
    BREAKERS_OPEN.labels("service").set(is_open)
    BREAKERS_OPEN.labels("keys").set(pairs)


@contextmanager
def counted() -> Iterator[Tally]:
    tally = Tally()
    token = _tally.set(tally)
    try:
        yield tally
    finally:
        _tally.reset(token)
