"""The longest waits of the last minutes, as a gauge: a histogram only says "longer than 60 s"."""

import time
from collections.abc import Callable
from threading import Lock

from prometheus_client import Gauge

MINUTE = 60
# As with all figures of processes, a label keeps the import from writing a file.
SECONDS = Gauge(
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
            SECONDS.labels(self._of).set(max(self._now, self._before))
