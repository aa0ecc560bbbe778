"""Stops calling a service that has failed several times in a row, so that people wait less."""

import time
from collections.abc import Callable
from threading import Lock


class Breaker:
    """Open after `threshold` failures in a row. Each `cool_down` seconds one call then passes as a
    probe; the first success closes it. Safe to share between threads.
    """

    def __init__(
        self,
        *,
        threshold: int = 5,
        cool_down: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._threshold = threshold
        self._cool_down = cool_down
        self._clock = clock
        self._lock = Lock()
        self._failures = 0
        self._next_probe = 0.0

    def admits(self) -> bool:
        """May a call go out now? Ask once per attempt: a yes may use up the turn of the probe."""
        if self._failures < self._threshold:  # read unlocked: the usual case
            return True
        with self._lock:
            now = self._clock()
            if now < self._next_probe:
                return self._failures < self._threshold
            # A probe that never reports (its thread died) blocks nothing: the next turn comes.
            self._next_probe = now + self._cool_down
            return True

    def succeeded(self) -> None:
        """The service answered, if only with a refusal."""
        if self._failures:
            with self._lock:
                self._failures = 0

    def failed(self) -> None:
        """The service could not be reached, broke off, or answered with a fault of its own."""
        with self._lock:
            self._failures += 1
            if self._failures >= self._threshold:
                self._next_probe = self._clock() + self._cool_down
