"""Calls to one external service: retries of reads, circuit breakers."""

import random
import re
from collections.abc import Callable, Mapping
from threading import Lock
from time import monotonic, sleep
from typing import Any

import httpx

from . import protocol
from .keys import Keys
from .protocol import Answer, Broken, Outcome
from .transport import Headers, Transport


class Service:
    """One external service as this process calls it. Make one per process, after any fork, and
    share it between threads. Each call brings its key pair.

    timeout: seconds for a whole call with its retries. connect_timeout: seconds of it for
    connecting. Raises ValueError for a base URL that is not http(s)://host[:port][/path], and for a
    name that no header can have.

    note: called when a call of a gateway ends, with endpoint, operation, outcome ("ok" or the name
    of the GatewayError) and seconds. request_id: what to send as X-Request-ID, "" for nothing.
    """

    def __init__(
        self,
        base_url: str,
        *,
        access_header: str = "x-service-access-key",
        secret_header: str = "x-service-secret-key",  # noqa: S107 - a header's name
        timeout: float = 10.0,
        connect_timeout: float = 3.0,
        note: Callable[[str, str, str, float], None] | None = None,
        request_id: Callable[[], str] | None = None,
    ) -> None:
        url = _checked_url(base_url)
        self.timeout = timeout
        self.note = note or _no_note
        self.breakers = Breakers()
        self._name = url.host
        self._path = url.path.rstrip("/")
        self._header_names = (_checked_name(access_header), _checked_name(secret_header))
        self._request_id = request_id or str
        self._transport = Transport(url, connect_timeout=connect_timeout)

    def __repr__(self) -> str:
        return f"<Service {self._name}>"

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    def read(
        self, path: str, query: Mapping[str, Any] | None, keys: Keys, deadline: float
    ) -> Outcome:
        """GET, repeated after a pause where that may help, all before `deadline` (monotonic)."""
        target = protocol.target(self._path + path, query)
        attempt = 0
        while True:
            outcome = self._send("GET", target, keys, deadline)
            pause = protocol.pause_before_retry(outcome, attempt, random.random)
            if pause is None or monotonic() + pause >= deadline or self.breakers.is_open_for(keys):
                return outcome
            sleep(pause)
            attempt += 1

    def write(
        self, method: str, path: str, body: bytes, keys: Keys, deadline: float, token: str = ""
    ) -> Outcome:
        """POST, PUT or DELETE, sent once and never repeated.

        token: sent as Idempotency-Key, of printable ASCII. The reference does not name that header;
        a gateway on the way that repeats requests may honour it.

        A write has a connection of its own. On one that carried another request, a late second
        answer to that request could be taken for the answer to the write.
        """
        headers = [(b"content-type", b"application/json")] if body else []
        if token:
            headers.append((b"idempotency-key", token.encode("ascii")))
        return self._send(
            method, protocol.target(self._path + path), keys, deadline, headers, body, is_write=True
        )

    def _send(
        self,
        method: str,
        target: bytes,
        keys: Keys,
        deadline: float,
        more: Headers | tuple[()] = (),
        body: bytes = b"",
        *,
        is_write: bool = False,
    ) -> Outcome:
        if not self.breakers.allow_request(keys):
            return Broken("paused after failures", sent=False, tried=False)
        headers = [
            (b"accept", b"application/json"),
            (b"accept-encoding", b"gzip"),
            *keys.headers(*self._header_names),
            *more,
        ]
        if request_id := self._request_id():
            headers.append((b"x-request-id", request_id.encode("ascii")))
        pool_of = None if is_write else keys
        outcome = self._transport.send(
            method, target, headers, deadline, body=body, pool_of=pool_of
        )
        connected = isinstance(outcome, Answer) or outcome.connected
        self.breakers.note(keys, connected=connected, failed=protocol.is_fault(outcome))
        return outcome


class Breaker:
    """Opens after `threshold` failures in a row. While open, one call every `cool_down` seconds
    is allowed as a probe; the first success closes it. Safe to share between threads.
    """

    def __init__(
        self,
        *,
        threshold: int = 5,
        cool_down: float = 5.0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._threshold = threshold
        self._cool_down = cool_down
        self._clock = clock
        self._lock = Lock()
        self._failures = 0
        self._next_probe = 0.0

    @property
    def is_open(self) -> bool:
        """Whether it allows probes only."""
        return self._failures >= self._threshold

    def allow_request(self) -> bool:
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

    def allow_request(self, keys: Keys) -> bool:
        """Whether this key pair may make a call now. Call it once per attempt."""
        own = self._own.get(keys)
        return (own is None or own.allow_request()) and self._common.allow_request()

    def is_open_for(self, keys: Keys) -> bool:
        """Whether this key pair may make no calls but probes, so that none is to be repeated."""
        own = self._own.get(keys)
        return self._common.is_open or (own is not None and own.is_open)

    @property
    def is_open(self) -> bool:
        """Whether all key pairs may make no calls but probes."""
        return self._common.is_open

    @property
    def open_count(self) -> int:
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


def fetch(address: str, *, headers: dict[str, str], seconds: float) -> tuple[int, bytes]:
    """GET an address that is not the API's, without keys: the status and the body of its answer,
    (0, b"") if none came in time. Raises ValueError if it is not an http or https address.
    """
    url = _checked_url(address)
    named = [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]
    transport = Transport(url, connect_timeout=seconds)
    outcome = transport.send("GET", url.raw_path, named, monotonic() + seconds)
    return (outcome.status, outcome.body) if isinstance(outcome, Answer) else (0, b"")


def _no_note(endpoint: str, operation: str, outcome: str, seconds: float) -> None:
    pass


def _checked_url(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or url.query:
        raise ValueError("The base URL must look like https://api.example.com or .../with/a/path.")
    return url


def _checked_name(header: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,100}", header):
        raise ValueError("A header's name is made of letters, digits and hyphens.")
    return header
