"""One external service over HTTP: deadlines, retries, the breaker. The only importer of httpx."""

import random
import re
import ssl
from time import monotonic, sleep

import httpx

from . import protocol, wire
from .breaker import Breaker
from .jsontext import MAX_BYTES, inflate
from .keys import Keys
from .protocol import Answer, Broken, Outcome

_REASONS = {
    "ConnectError": "could not connect",
    "ConnectTimeout": "could not connect in time",
    "ReadTimeout": "no answer in time",
    "WriteTimeout": "no answer in time",
}


class Service:
    """One external service as this process talks to it. Make one per process, after any fork, and
    share it between threads; keys come with each call and are not kept.

    timeout: seconds for a whole call with its retries. connect_timeout: of it for connecting.
    Raises ValueError for a base URL that is not http(s)://host[:port][/path], and for names that no
    header can have.
    """

    def __init__(
        self,
        base_url: str,
        *,
        access_header: str = "x-service-access-key",
        secret_header: str = "x-service-secret-key",  # noqa: S107 - a header's name
        timeout: float = 10.0,
        connect_timeout: float = 3.0,
    ) -> None:
        self.timeout = timeout
        self.breaker = Breaker()
        self._url = _checked_url(base_url)
        self._path = self._url.path.rstrip("/")
        self._header_names = (_checked_name(access_header), _checked_name(secret_header))
        self._connect_timeout = connect_timeout
        self._ssl_context = _trusting()
        self._idle: list[_Caller] = []

    def __repr__(self) -> str:
        return f"<Service {self._url.host}>"

    def close(self) -> None:
        """Close the idle connections. A call under way keeps its own until it ends."""
        while self._idle:
            self._idle.pop().close()

    def read(
        self, path: str, query: dict[str, str | int] | None, keys: Keys, deadline: float
    ) -> Outcome:
        """GET, and again after a pause where that may help, all before `deadline` (monotonic)."""
        target = protocol.target(self._path + path, query)
        attempt = 0
        while True:
            outcome = self._try("GET", target, b"", keys, deadline)
            pause = protocol.pause_before_retry(outcome, attempt, random.random)
            if pause is None or monotonic() + pause >= deadline:
                return outcome
            sleep(pause)
            attempt += 1

    def write(self, method: str, path: str, body: bytes, keys: Keys, deadline: float) -> Outcome:
        """POST, PUT or DELETE, once and never again."""
        return self._try(method, protocol.target(self._path + path), body, keys, deadline)

    def _try(self, method: str, target: bytes, body: bytes, keys: Keys, deadline: float) -> Outcome:
        if not self.breaker.admits():
            return Broken("paused after repeated failures", sent=False, tried=False)
        outcome = self._exchange(method, target, body, keys, deadline)
        if protocol.is_fault(outcome):
            self.breaker.failed()
        else:
            self.breaker.succeeded()
        return outcome

    def _exchange(
        self, method: str, target: bytes, body: bytes, keys: Keys, deadline: float
    ) -> Outcome:
        """One request and its answer, by a caller that nobody else uses meanwhile.

        Callers lie on a stack: no lock for threads to queue at, as in a shared pool, and no more
        connections than there are calls at once. list.pop and list.append are atomic.
        """
        try:
            caller = self._idle.pop()
        except IndexError:
            caller = _Caller(self._url, self._connect_timeout, self._ssl_context)
        outcome = caller.exchange(method, target, body, keys, self._header_names, deadline)
        self._idle.append(caller)
        return outcome


class _Caller:
    """One connection, for one call at a time. Over httpcore as it is: what httpx would add, like
    redirects, cookies, a log of addresses, is all unwanted here and costs a fifth of a call.
    """

    def __init__(self, url: httpx.URL, connect_timeout: float, ssl_context: ssl.SSLContext) -> None:
        self._line = wire.Line(connect_timeout)
        origin = (url.raw_scheme, url.raw_host, url.port)
        self._connection = wire.Connection(origin, self._line, ssl_context)
        self._headers = [
            (b"host", url.netloc),
            (b"accept", b"application/json"),
            (b"accept-encoding", b"gzip"),
        ]

    def close(self) -> None:
        self._connection.close()

    def exchange(
        self,
        method: str,
        target: bytes,
        body: bytes,
        keys: Keys,
        names: tuple[str, str],
        deadline: float,
    ) -> Outcome:
        """Never raises: what broke is told by name alone, because the frames of the libraries
        beneath hold the headers, which no traceback may show.
        """
        self._line.begin(deadline=deadline, is_write=method != "GET")
        headers = [*self._headers, *keys.headers(*names), *_body_headers(body)]
        try:
            return _answer(*self._connection.exchange(method, target, headers, body, MAX_BYTES))
        except Exception as error:
            reason = _REASONS.get(type(error).__name__, "connection broken off")
            return Broken(reason, sent=self._line.sent)


def _answer(status: int, headers: wire.Headers, raw: bytes) -> Answer:
    """What is read of an answer. Of a header that came twice, the last one counts."""
    said = {name.lower(): value.decode("latin-1") for name, value in headers}
    body = inflate(raw, said.get(b"content-encoding", "").lower())
    return Answer(status, body or b"", said.get(b"retry-after", ""))


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


def _trusting() -> ssl.SSLContext:
    """The public authorities, and those that this machine trusts (also by SSL_CERT_FILE)."""
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    return context


def _body_headers(body: bytes) -> list[tuple[bytes, bytes]]:
    if not body:
        return []
    length = str(len(body)).encode("ascii")
    return [(b"content-type", b"application/json"), (b"content-length", length)]
