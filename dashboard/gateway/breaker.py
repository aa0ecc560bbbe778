"""A circuit breaker: stops calls to a service that failed several times in a row."""

import time
from collections.abc import Callable
from threading import Lock


class Breaker:
    """Opens after `threshold` failures in a row. While open, it admits one call every `cool_down`
    seconds as a probe; the first success closes it. Safe to share between threads.
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
        """Whether a call may be made now. Call it once per attempt: True may be the only probe."""
        if self._failures < self._threshold:  # usual case, without the lock
            return True
        with self._lock:
            now = self._clock()
            if now < self._next_probe:
                return self._failures < self._threshold
            # Not reset by the probe: if it never reports a result, the next one is still admitted.
            self._next_probe = now + self._cool_down
            return True

    def succeeded(self) -> None:
        """Record that the service answered, possibly with a refusal."""
        if self._failures:
            with self._lock:
                self._failures = 0

    def failed(self) -> None:
        """Record that the service was unreachable, broke off or answered with a 5xx status."""
        with self._lock:
            self._failures += 1
            if self._failures >= self._threshold:
                self._next_probe = self._clock() + self._cool_down
