"""Circuit breakers: stop calls to a service that failed several times in a row."""

import time
from collections.abc import Callable
from threading import Lock

from .keys import Keys


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

    @property
    def is_open(self) -> bool:
        """Whether it admits probes only."""
        return self._failures >= self._threshold

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


class Breakers:
    """A breaker for each key pair, and one for all of them. Safe to share between threads.

    The breaker of a key pair counts calls that broke off or were answered with a 5xx status, which
    may be due to what this person asks for. The common one counts calls for which no connection
    could be made. Only key pairs whose latest call failed are held.
    """

    def __init__(self) -> None:
        self._common = Breaker()
        self._own: dict[Keys, Breaker] = {}

    def admits(self, keys: Keys) -> bool:
        """Whether this key pair may make a call now. Call it once per attempt."""
        own = self._own.get(keys)
        return (own is None or own.admits()) and self._common.admits()

    def pauses(self, keys: Keys) -> bool:
        """Whether this key pair may make no calls but probes, so that none is to be repeated."""
        own = self._own.get(keys)
        return self._common.is_open or (own is not None and own.is_open)

    @property
    def is_open(self) -> bool:
        """Whether all key pairs may make no calls but probes."""
        return self._common.is_open

    @property
    def paused_pairs(self) -> int:
        """How many key pairs may make no calls but probes, due to their own calls."""
        return sum(breaker.is_open for breaker in list(self._own.values()))

    def note(self, keys: Keys, *, connected: bool, failed: bool) -> None:
        """Record the result of a call that was made."""
        if not connected:
            self._common.failed()
            return
        self._common.succeeded()
        if failed:
            self._own.setdefault(keys, Breaker()).failed()
        else:
            self._own.pop(keys, None)

    def reset(self) -> None:
        """Close all breakers."""
        self._common.succeeded()
        self._own.clear()
