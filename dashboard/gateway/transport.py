"""The transport of httpx that calls the service: a total deadline, no stale answers.

httpcore applies its timeouts to each read, so a server that sends one byte now and then holds a
call open without end. Here each connect, read and write gets the seconds that are left of the call.
"""

import socket
import ssl
import time
from collections.abc import Iterable
from contextlib import suppress
from contextvars import ContextVar
from threading import Lock
from typing import Any

import httpcore
import httpx

from .errors import NO_ANSWER
from .keys import Keys
from .values import MAX_BYTES, inflate

SEND_BYTES = 16_384  # bytes written before the deadline is checked again
KEEPALIVE_TIMEOUT = 4.0  # seconds; many servers close a connection that was idle for 5
MAX_IDLE = 8  # connections of a key pair; in each call httpcore compares each of them with all

# What a failure is to httpx, and in words that are safe to log and to show.
_ERRORS: tuple[tuple[type[Exception], type[httpx.TransportError], str], ...] = (
    (httpcore.ConnectError, httpx.ConnectError, "could not connect"),
    (httpcore.ConnectTimeout, httpx.ConnectTimeout, "could not connect in time"),
    (httpcore.TimeoutException, httpx.ReadTimeout, NO_ANSWER),
    (Exception, httpx.ReadError, "connection broken off"),
)


class Attempt:
    """The extension "attempt" of a request.

    deadline: the moment (time.monotonic) at which its call ends. keys: the key pair whose
    connections may carry it; without one it gets a new connection. sent: whether a byte of it may
    have left this machine.
    """

    __slots__ = ("deadline", "keys", "sent")

    def __init__(self, deadline: float, keys: Keys | None = None) -> None:
        self.deadline = deadline
        self.keys = keys
        self.sent = False

    def seconds_left(self) -> float:
        """Seconds until the deadline. Raises httpcore.ReadTimeout once it has passed."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left


current_attempt: ContextVar[Attempt] = ContextVar("attempt")  # the request that this thread makes


class Transport(httpx.BaseTransport):
    """Sends requests with the extensions "attempt" and "target". Safe to share between threads.

    Each key pair has a connection pool of its own, so no answer to a read of one workspace can
    reach a reader of another.
    """

    def __init__(self, *, connect_timeout: float, ssl_context: ssl.SSLContext | None) -> None:
        self._ssl_context = ssl_context
        self._backend = DeadlineBackend(connect_timeout)
        self._lock = Lock()
        self._pools: dict[Keys, tuple[httpcore.ConnectionPool, float]] = {}  # by their latest call

    def close(self) -> None:
        with self._lock:
            pools = [pool for pool, _ in self._pools.values()]
            self._pools.clear()
        for pool in pools:
            pool.close()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request. Raises httpx.TransportError, whose message says why there is no
        answer.
        """
        attempt: Attempt = request.extensions["attempt"]
        outer = current_attempt.set(attempt)
        try:
            if attempt.keys is not None:
                return _answer(self._pool(attempt.keys, attempt.deadline), request)
            with self._new_pool() as pool:
                return _answer(pool, request)
        except Exception as error:
            kind, words = next(each[1:] for each in _ERRORS if isinstance(error, each[0]))
            raise kind(words) from None
        finally:
            current_attempt.reset(outer)

    def _pool(self, keys: Keys, deadline: float) -> httpcore.ConnectionPool:
        with self._lock:
            pool, latest = self._pools.pop(keys, (None, 0.0))
            unused = self._remove_unused()
            pool = pool or self._new_pool()
            self._pools[keys] = pool, max(latest, deadline)
        for each in unused:
            each.close()
        return pool

    def _remove_unused(self) -> list[httpcore.ConnectionPool]:
        removed, moment = [], time.monotonic() - KEEPALIVE_TIMEOUT
        for keys, (pool, latest) in list(self._pools.items()):
            if latest > moment:
                break
            removed.append(pool)
            del self._pools[keys]
        return removed

    def _new_pool(self) -> httpcore.ConnectionPool:
        return httpcore.ConnectionPool(
            ssl_context=self._ssl_context,
            max_connections=None,
            max_keepalive_connections=MAX_IDLE,
            keepalive_expiry=KEEPALIVE_TIMEOUT,
            network_backend=self._backend,
        )


def _answer(pool: httpcore.ConnectionPool, request: httpx.Request) -> httpx.Response:
    """Return the answer with its decoded body, empty if that is damaged or too large. Only the
    header Retry-After is passed on: no cookie is stored, no redirect prepared, nothing decoded
    twice.
    """
    url = request.url
    sent = httpcore.Request(
        request.method,
        httpcore.URL(
            scheme=url.raw_scheme,
            host=url.raw_host,
            port=url.port,
            target=request.extensions["target"],
        ),
        headers=request.headers.raw,
        content=request.content,
    )
    received = bytearray()
    response = pool.handle_request(sent)
    try:
        for chunk in response.iter_stream():
            received += chunk
            if len(received) > MAX_BYTES:
                return httpx.Response(response.status)
    finally:
        response.close()
    decoded = inflate(bytes(received), _header(response, b"content-encoding").lower()) or b""
    retry_after = _header(response, b"retry-after").encode(
        "latin-1"
    )  # httpx encodes texts as ASCII
    return httpx.Response(
        response.status,
        headers=[(b"retry-after", retry_after)] if retry_after else None,
        stream=httpx.ByteStream(decoded),
        extensions=response.extensions,
    )


def _header(response: httpcore.Response, name: bytes) -> str:
    values = [value for each, value in response.headers if each.lower() == name]
    return b", ".join(values).decode("latin-1")


class DeadlineBackend(httpcore.NetworkBackend):
    """Opens connections within the connect timeout and the deadline of the current request."""

    def __init__(self, connect_timeout: float) -> None:
        self._connect_timeout = connect_timeout
        self._system = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Try the addresses of the host in turn, all of them within the connect timeout."""
        limit = time.monotonic() + min(self._connect_timeout, current_attempt.get().seconds_left())
        error: Exception = httpcore.ConnectError()
        for address in _addresses(host, port):
            left = limit - time.monotonic()
            if left <= 0:
                raise httpcore.ConnectTimeout
            try:
                stream = self._system.connect_tcp(address, port, left, socket_options=())
                return DeadlineStream(stream)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as failure:
                error = failure
        raise error


class DeadlineStream(httpcore.NetworkStream):
    """A connection whose every read and write ends at the deadline of the current request.

    It also keeps bytes that are no answer to the current request from being read as its answer:

    - `read` holds back the last byte of what it received until it is called again. The HTTP parser
      calls it again only if the answer is incomplete without that byte. So a byte that is still
      held when the answer is complete shows that more than one answer arrived.
    - Such a connection, and one on which bytes wait while no request is under way, reports itself
      as readable. httpcore then closes it instead of using it again.
    - `write` raises httpcore.RemoteProtocolError if bytes wait before the request is fully sent,
      and also where it fails: httpcore would go on and read an answer after a WriteError.

    An answer that arrives after the request was sent, but was meant for an earlier request on the
    same connection, cannot be recognised here. client.py limits what that can do.
    """

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner
        self._held = b""

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._held:
            held, self._held = self._held, b""
            return held
        received = self._inner.read(max_bytes, current_attempt.get().seconds_left())
        if len(received) < 2:
            return received
        self._held = received[-1:]
        return received[:-1]

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), SEND_BYTES):
            self._refuse_early_answer()
            attempt = current_attempt.get()
            left = attempt.seconds_left()
            attempt.sent = True
            try:
                self._inner.write(buffer[start : start + SEND_BYTES], left)
            except httpcore.WriteError as error:
                raise httpcore.RemoteProtocolError("The request was not fully sent.") from error

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = current_attempt.get().seconds_left()
        return DeadlineStream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        """As httpcore defines it. httpcore closes an idle connection that "is_readable"."""
        if info == "is_readable" and self._held:
            return True
        return self._inner.get_extra_info(info)

    def _refuse_early_answer(self) -> None:
        """Raise httpcore.RemoteProtocolError if the server has sent or closed already.

        A readable TLS socket may hold a session ticket, which is no data: only reading tells.
        """
        if self._inner.get_extra_info("is_readable"):
            with suppress(httpcore.ReadError):  # nothing but a ticket
                self._inner.read(1, 0.0)
                raise httpcore.RemoteProtocolError("The server answered before it was asked.")


def _addresses(host: str, port: int) -> list[str]:
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise httpcore.ConnectError from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


def ssl_context() -> ssl.SSLContext:
    """Trusts the public authorities and those of this machine (also by SSL_CERT_FILE)."""
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    return context
