"""Calls to one external service: retries of reads, circuit breaker."""

import random
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Lock
from time import monotonic, sleep
from typing import Any

import httpx

from . import protocol
from .keys import Keys
from .protocol import Answer, Outcome, TransportFailure
from .transport import Attempt, Transport, ssl_context

THRESHOLD = 5  # failures in a row that open the circuit breaker
COOL_DOWN = 5.0  # seconds between the probes of an open one
Headers = list[tuple[bytes, bytes]]


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
        self.note = note or (lambda *call: None)
        self.breaker = Breaker()
        self._url = url.copy_with(path="/")
        self._path = url.path.rstrip("/")
        self._header_names = (_checked_name(access_header), _checked_name(secret_header))
        self._request_id = request_id or str
        self._client = _client(url, connect_timeout)

    def __repr__(self) -> str:
        return f"<Service {self._url.host}>"

    def close(self) -> None:
        self._client.close()

    def read(
        self, path: str, query: Mapping[str, Any] | None, keys: Keys, deadline: float
    ) -> Outcome:
        """Send a GET, retried after a pause if that may help, all before `deadline` (monotonic)."""
        target = protocol.target(self._path + path, query)
        attempt = 0
        while True:
            outcome = self._send("GET", target, keys, Attempt(deadline, keys), [])
            pause = protocol.pause_before_retry(outcome, attempt, random.random)
            if pause is None or monotonic() + pause >= deadline or self.breaker.is_open_for(keys):
                return outcome
            sleep(pause)
            attempt += 1

    def write(
        self, method: str, path: str, body: bytes, keys: Keys, deadline: float, token: str = ""
    ) -> Outcome:
        """Send a POST, PUT or DELETE once; it is never repeated. token: sent as Idempotency-Key, of
        printable ASCII. The reference does not name that header; a gateway on the way that repeats
        requests may honour it.

        A write has a connection of its own. On one that carried another request, a late second
        answer to that request could be taken for the answer to the write.
        """
        headers: Headers = [(b"content-type", b"application/json")] if body else []
        if token:
            headers.append((b"idempotency-key", token.encode("ascii")))
        target = protocol.target(self._path + path)
        return self._send(method, target, keys, Attempt(deadline), headers, body)

    def _send(
        self,
        method: str,
        target: bytes,
        keys: Keys,
        attempt: Attempt,
        headers: Headers,
        body: bytes = b"",
    ) -> Outcome:
        """Send a request and never raise: the frames of an exception hold the headers, which no
        traceback may show. The target may hold the text of a search, so it is an extension: a
        request shows its URL wherever it is printed.
        """
        if not self.breaker.allow_request(keys):
            return TransportFailure("paused after failures", sent=False, attempted=False)
        headers = [
            (b"accept", b"application/json"),
            (b"accept-encoding", b"gzip"),
            *keys.headers(*self._header_names),
            *headers,
        ]
        if request_id := self._request_id():
            headers.append((b"x-request-id", request_id.encode("ascii")))
        extensions = {"target": target, "attempt": attempt}
        request = httpx.Request(
            method, self._url, headers=headers, content=body or None, extensions=extensions
        )
        outcome: Outcome
        try:
            response = self._client.send(request)
        except httpx.TransportError as error:
            connected = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            outcome = TransportFailure(str(error), sent=attempt.sent, connected=connected)
        else:
            connected, retry_after = True, response.headers.get("retry-after", "")
            outcome = Answer(response.status_code, response.content, retry_after)
        self.breaker.record_result(keys, connected=connected, failed=protocol.is_fault(outcome))
        return outcome


class Breaker:
    """Stops calls after THRESHOLD failures in a row: those of one key pair if calls broke off or
    were answered with a 5xx status, which may be due to what this person asks for; all calls if no
    connection could be made. While it is open, one call every COOL_DOWN seconds is allowed as a
    probe; the first success closes it. Safe to share between threads.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        # Failures in a row and the moment of the next probe, by key pair; of all calls by None.
        self._failures: dict[Keys | None, tuple[int, float]] = {}

    def allow_request(self, keys: Keys) -> bool:
        """Return True if a call may be sent now. Call it once per attempt: True may be the only
        probe.
        """
        if not self._failures:  # usual case, without the lock
            return True
        with self._lock:
            return self._allow(keys) and self._allow(None)

    def _allow(self, whose: Keys | None) -> bool:
        if not self._is_open(whose):
            return True
        now = monotonic()
        failures, next_probe = self._failures[whose]
        if now < next_probe:
            return False
        # Not reset by the probe: if it never reports a result, the next one is still admitted.
        self._failures[whose] = failures, now + COOL_DOWN
        return True

    def is_open_for(self, keys: Keys) -> bool:
        """Return whether the breaker of this key pair or that of all calls is open."""
        return self.is_open or self._is_open(keys)

    @property
    def is_open(self) -> bool:
        return self._is_open(None)

    @property
    def open_count(self) -> int:
        """Return the number of key pairs whose own breaker is open."""
        return sum(self._is_open(keys) for keys in list(self._failures) if keys)

    def _is_open(self, whose: Keys | None) -> bool:
        return self._failures.get(whose, (0, 0.0))[0] >= THRESHOLD

    def record_result(self, keys: Keys, *, connected: bool, failed: bool) -> None:
        if not (failed or self._failures):
            return
        with self._lock:
            if connected:
                self._failures.pop(None, None)
            if failed:
                whose = keys if connected else None
                count = self._failures.get(whose, (0, 0.0))[0] + 1
                self._failures[whose] = count, monotonic() + COOL_DOWN
            else:
                self._failures.pop(keys, None)

    def reset(self) -> None:
        with self._lock:
            self._failures.clear()


def fetch(address: str, *, headers: dict[str, str], seconds: float) -> tuple[int, bytes]:
    """Fetch an address that is not the API's, without keys. Return the status and the body, (0,
    b"") if there was no answer in time. Raises ValueError if it is not an http or https address.
    """
    url = _checked_url(address)
    extensions = {"target": url.raw_path, "attempt": Attempt(monotonic() + seconds)}
    request = httpx.Request("GET", url.copy_with(path="/"), headers=headers, extensions=extensions)
    with _client(url, connect_timeout=seconds) as client, suppress(httpx.TransportError):
        response = client.send(request)
        return response.status_code, response.content
    return 0, b""


def _client(url: httpx.URL, connect_timeout: float) -> httpx.Client:
    transport = Transport(
        connect_timeout=connect_timeout,
        ssl_context=ssl_context() if url.scheme == "https" else None,
    )
    return httpx.Client(transport=transport, trust_env=False, auth=httpx.Auth())


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
