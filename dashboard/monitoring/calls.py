"""Measures calls to the service, for the metrics and the log line of a request, and the longest
waits, as a histogram only says "longer than 60 s".
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Lock

from prometheus_client import Gauge, Histogram

MINUTE = 60
# As with all figures of processes, a label keeps the import from writing a file.
LONGEST_SECONDS = Gauge(
    "desk_longest_wait_seconds",
    "Longest request or call to the service that ended in this minute or the one before",
    ("of",),
    multiprocess_mode="livemax",
)


class Longest:
    """The longest of what ended in the current minute of the clock and the one before it.

    Each process has its own, of which the metrics show the greatest. It stays as it is while
    nothing ends in the process; a supervisor that asks for /healthz keeps it moving.
    """

    def __init__(self, of: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._of = of
        self._clock = clock
        self._lock = Lock()
        self._minute = 0
        self._now = self._before = 0.0

    def note(self, seconds: float) -> None:
        """Something ended after this time."""
        with self._lock:
            minute = int(self._clock() // MINUTE)
            if minute != self._minute:
                self._before = self._now if minute == self._minute + 1 else 0.0
                self._minute, self._now = minute, 0.0
            self._now = max(self._now, seconds)
            LONGEST_SECONDS.labels(self._of).set(max(self._now, self._before))


SECONDS = Histogram(
    "desk_api_call_seconds",
    "Calls to the External Business API, each with its retries",
    ("endpoint", "operation", "outcome"),
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40),
)
LONGEST = Longest("call")
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
    LONGEST.note(seconds)
    tally = _tally.get()
    if tally:
        tally.calls += 1
        tally.seconds += seconds


def note_breakers(*, is_open: bool, pairs: int) -> None:
    """Set the figures of this process's circuit breakers."""
    BREAKERS_OPEN.labels("service").set(is_open)
    BREAKERS_OPEN.labels("keys").set(pairs)


@contextmanager
def counted() -> Iterator[Tally]:
    """Counts the calls that are made in this context."""
    tally = Tally()
    token = _tally.set(tally)
    try:
        yield tally
    finally:
        _tally.reset(token)
