"""Calls to one external service: one client per call at a time, retries, breakers."""

import random
import re
import ssl
from collections.abc import Callable
from contextlib import closing
from threading import Lock
from time import monotonic, sleep
from typing import NamedTuple

import httpx

from . import protocol
from .idle_clients import IdleClients
from .keys import Keys
from .protocol import Answer, Broken, Outcome
from .transport import DeadlineTransport, is_unconnected, reason_of
from .values import MAX_BYTES, inflate


class Service:
    """One external service as this process calls it. Make one per process, after any fork, and
    share it between threads. Each call brings its key pair; a key pair is kept as long as one of
    its connections is.

    timeout: seconds for a whole call with its retries. connect_timeout: seconds of it for
    connecting. Raises ValueError for a base URL that is not http(s)://host[:port][/path], and for a
    name that no header can have.

    note: told of each call of a gateway when it ends: endpoint, operation, outcome ("ok" or the
    name of the GatewayError), seconds. request_id: what to send as X-Request-ID, "" for nothing.
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
        self.timeout = timeout
        self.note = note or _no_note
        self.breakers = Breakers()
        self._url = _checked_url(base_url)
        self._path = self._url.path.rstrip("/")
        self._header_names = (_checked_name(access_header), _checked_name(secret_header))
        self._connect_timeout = connect_timeout
        self._ssl_context = _ssl_context() if self._url.scheme == "https" else None
        self._request_id = request_id or str
        self._idle = IdleClients[_Client]()

    def __repr__(self) -> str:
        return f"<Service {self._url.host}>"

    def close(self) -> None:
        """Close all connections. A call that is under way keeps its own until it ends."""
        self._idle.close()

    def read(
        self, path: str, query: dict[str, str | int] | None, keys: Keys, deadline: float
    ) -> Outcome:
        """GET, repeated after a pause where that may help, all before `deadline` (monotonic)."""
        target = protocol.target(self._path + path, query)
        attempt = 0
        while True:
            client = self._idle.take(keys) or self._new_client(keys)
            request = _Request("GET", target, deadline, request_id=self._request_id())
            outcome = self._try(client, keys, request)
            self._idle.put(keys, client)
            pause = protocol.pause_before_retry(outcome, attempt, random.random)
            if pause is None or monotonic() + pause >= deadline or self.breakers.pauses(keys):
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
        target = protocol.target(self._path + path)
        with closing(self._new_client(keys)) as client:
            request = _Request(method, target, deadline, body, token, self._request_id())
            return self._try(client, keys, request)

    def _try(self, client: "_Client", keys: Keys, request: "_Request") -> Outcome:
        if not self.breakers.allow_request(keys):
            return Broken("paused after failures", sent=False, tried=False)
        outcome = client.call(request)
        connected = isinstance(outcome, Answer) or outcome.connected
        self.breakers.note(keys, connected=connected, failed=protocol.is_fault(outcome))
        return outcome

    def _new_client(self, keys: Keys) -> "_Client":
        transport = DeadlineTransport(
            self._ssl_context, connect_timeout=self._connect_timeout, max_bytes=MAX_BYTES
        )
        return _Client(self._url, transport, keys, self._header_names)


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

    def pauses(self, keys: Keys) -> bool:
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


class _Request(NamedTuple):
    """One attempt of a call; `deadline` is a moment of time.monotonic."""

    method: str
    target: bytes
    deadline: float
    body: bytes = b""
    token: str = ""
    request_id: str = ""


class _Client:
    """Makes the calls of one key pair over one transport, one call at a time.

    The requests go to the transport without an httpx.Client: redirects, cookies and proxies, which
    it would add, must not be followed here, and it takes a quarter of the CPU of a call.

    No connection is used for two key pairs, so no answer to a read of one workspace can reach a
    reader of another.

    One at a time because the deadline of a call and whether it was sent are state of the transport,
    and because threads that share a connection pool wait for each other's lock.
    """

    def __init__(
        self, url: httpx.URL, transport: DeadlineTransport, keys: Keys, names: tuple[str, str]
    ) -> None:
        self._url = url
        self._transport = transport
        self._keys = keys
        self._names = names

    def close(self) -> None:
        self._transport.close()

    def call(self, request: _Request) -> Outcome:
        """Send one request and read its answer. Never raises: the frames of an exception hold the
        headers, which no traceback may show, so a failure is told by its reason alone.
        """
        try:
            return _answer(self._transport.handle_request(self._http_request(request)))
        except Exception as error:
            connected = not is_unconnected(error)
            return Broken(reason_of(error), sent=self._transport.sent, connected=connected)

    def _http_request(self, request: _Request) -> httpx.Request:
        """The target, which may hold the text of a search, travels beside the URL: a request shows
        its URL wherever it is printed.
        """
        headers = [
            (b"accept", b"application/json"),
            (b"accept-encoding", b"gzip"),
            *self._keys.headers(*self._names),
        ]
        if request.body:
            headers.append((b"content-type", b"application/json"))
        if request.token:
            headers.append((b"idempotency-key", request.token.encode("ascii")))
        if request.request_id:
            headers.append((b"x-request-id", request.request_id.encode("ascii")))
        return httpx.Request(
            request.method,
            self._url,
            headers=headers,
            content=request.body or None,
            extensions={"target": request.target, "deadline": request.deadline},
        )


def fetch(address: str, *, headers: dict[str, str], seconds: float) -> tuple[int, bytes]:
    """GET an address that is not the API's, without keys: the status and the body of its answer,
    (0, b"") if none came in time. Raises ValueError if it is not an http or https address.
    """
    url = _checked_url(address)
    transport = DeadlineTransport(
        _ssl_context() if url.scheme == "https" else None,
        connect_timeout=seconds,
        max_bytes=MAX_BYTES,
    )
    extensions = {"target": url.raw_path, "deadline": monotonic() + seconds}
    request = httpx.Request("GET", url, headers=headers, extensions=extensions)
    with closing(transport):
        try:
            answer = _answer(transport.handle_request(request))
        except Exception:  # whatever the network does
            return 0, b""
        return answer.status, answer.body


def _answer(answer: httpx.Response) -> Answer:
    """httpx would decode the body as well, but without a limit to its size."""
    raw = b"".join(answer.iter_raw())
    body = inflate(raw, answer.headers.get("content-encoding", "").lower())
    return Answer(answer.status_code, body or b"", answer.headers.get("retry-after", ""))


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


def _ssl_context() -> ssl.SSLContext:
    """Trusts the public authorities and those of this machine (also by SSL_CERT_FILE)."""
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    return context
