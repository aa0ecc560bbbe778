"""An httpx transport that keeps a total deadline and never takes a stale answer for a new one.

httpx and httpcore apply their timeouts to each read, so a server that sends one byte now and then
holds a call open without end. Here each connect, read and write gets the seconds that are left of
the call. Everything goes through the public interfaces of httpx and httpcore.
"""

import socket
import ssl
import time
from collections.abc import Iterable
from contextlib import closing, suppress
from typing import Any

import httpcore
import httpx

from .errors import NO_ANSWER

SEND_BYTES = 16_384  # bytes written before the deadline is checked again

_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (httpcore.ConnectError, "could not connect"),
    (httpcore.ConnectTimeout, "could not connect in time"),
    (httpcore.PoolTimeout, "no free connection in time"),
    (httpcore.TimeoutException, NO_ANSWER),
)


class DeadlineTransport(httpx.BaseTransport):
    """Sends httpx requests over at most one connection, one request at a time.

    The extension "deadline" of a request is the moment (time.monotonic) at which its call ends, and
    "target" the request target, in ASCII. Responses come with their whole body, as it was sent, and
    without any of it if it has more than `max_bytes` bytes. Raises the exceptions of httpcore.
    """

    def __init__(
        self, ssl_context: ssl.SSLContext | None, *, connect_timeout: float, max_bytes: int
    ) -> None:
        self._backend = DeadlineBackend(connect_timeout)
        self._max_bytes = max_bytes
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl_context, max_connections=1, network_backend=self._backend
        )

    @property
    def sent(self) -> bool:
        """Whether a byte of the latest request may have left this machine."""
        return self._backend.sent

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self._backend.begin(request.extensions["deadline"])
        url = request.url
        answer = self._pool.handle_request(
            httpcore.Request(
                request.method,
                httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=b"/"),
                headers=request.headers.raw,
                content=request.read(),
                extensions={"target": request.extensions["target"]},
            )
        )
        with closing(answer):
            body = httpx.ByteStream(self._read(answer))
        return httpx.Response(answer.status, headers=answer.headers, stream=body)

    def close(self) -> None:
        self._pool.close()

    def _read(self, answer: httpcore.Response) -> bytes:
        received = bytearray()
        for chunk in answer.iter_stream():
            received += chunk
            if len(received) > self._max_bytes:
                return b""
        return bytes(received)


class DeadlineBackend(httpcore.NetworkBackend):
    """Opens the connections of one transport and holds the deadline of its current request.

    `sent` says whether a byte of that request may have left this machine.
    """

    def __init__(self, connect_timeout: float) -> None:
        self._connect_timeout = connect_timeout
        self._system = httpcore.SyncBackend()
        self._deadline = 0.0
        self.sent = False

    def begin(self, deadline: float) -> None:
        """Start a request whose call ends at `deadline` (time.monotonic)."""
        self._deadline = deadline
        self.sent = False

    def seconds_left(self) -> float:
        """Seconds until the deadline. Raises httpcore.ReadTimeout once it has passed."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Try the addresses of the host in turn, all of them within the connect timeout."""
        limit = time.monotonic() + min(self._connect_timeout, self.seconds_left())
        error: Exception = httpcore.ConnectError()
        for address in _addresses(host, port):
            left = limit - time.monotonic()
            if left <= 0:
                raise httpcore.ConnectTimeout
            try:
                stream = self._system.connect_tcp(address, port, left, socket_options=())
                return DeadlineStream(stream, self)
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

    def __init__(self, inner: httpcore.NetworkStream, backend: DeadlineBackend) -> None:
        self._inner = inner
        self._backend = backend
        self._held = b""

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._held:
            held, self._held = self._held, b""
            return held
        received = self._inner.read(max_bytes, self._backend.seconds_left())
        if len(received) < 2:
            return received
        self._held = received[-1:]
        return received[:-1]

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), SEND_BYTES):
            self._refuse_early_answer()
            left = self._backend.seconds_left()
            self._backend.sent = True
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
        left = self._backend.seconds_left()
        return DeadlineStream(
            self._inner.start_tls(ssl_context, server_hostname, left), self._backend
        )

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


def is_unconnected(error: Exception) -> bool:
    """Whether no connection could be made: name unknown, refused, too late, or TLS failed."""
    return isinstance(error, httpcore.ConnectError | httpcore.ConnectTimeout)


def reason_of(error: Exception) -> str:
    """What went wrong in a few words, safe to log and to show."""
    return next(
        (words for kind, words in _REASONS if isinstance(error, kind)), "connection broken off"
    )


def _addresses(host: str, port: int) -> list[str]:
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise httpcore.ConnectError from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))
