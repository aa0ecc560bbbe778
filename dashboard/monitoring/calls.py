"""Counts the calls to the service: for the metrics, and for the log line of a request."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from prometheus_client import Histogram

SECONDS = Histogram(
    "desk_api_call_seconds",
    "Calls to the External Business API, each with its retries",
    ("endpoint", "operation", "outcome"),
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
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


@contextmanager
def counted() -> Iterator[Tally]:
    """Counts the calls that are made in this context."""
    tally = Tally()
    token = _tally.set(tally)
    try:
        yield tally
    finally:
        _tally.reset(token)
