"""HTTP over sockets that keep a deadline. The only importer of httpcore, on which httpx stands.

Its timeouts are per read: a server that sends a byte now and then holds a call for ever, in the
headers as well as in the body. Here every connect, read and write gets what is left of the call.
"""

import socket
import ssl
import time
from collections.abc import Iterable
from typing import Any

import httpcore

READ_IDLE = 4.0  # seconds a connection may have been idle and still carry a read ...
WRITE_IDLE = 1.0  # ... or a write, which is never repeated if the server was just closing it
SEND_BYTES = 16_384

Origin = tuple[bytes, bytes, int | None]  # scheme, host, port
Headers = list[tuple[bytes, bytes]]

_SYSTEM = httpcore.SyncBackend()


class Line(httpcore.NetworkBackend):
    """Where one client's connections come from. It carries one call at a time: `begin` it first.

    `sent` says afterwards whether a byte of the request may have left this machine.
    """

    def __init__(self, connect_timeout: float) -> None:
        self._connect_timeout = connect_timeout
        self._deadline = 0.0
        self.max_idle = READ_IDLE
        self.sent = False

    def begin(self, *, deadline: float, is_write: bool) -> None:
        """Start a try, which ends at `deadline` (time.monotonic)."""
        self._deadline = deadline
        self.max_idle = WRITE_IDLE if is_write else READ_IDLE
        self.sent = False

    def left(self) -> float:
        """Seconds left of the call; raises ReadTimeout when none are."""
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
        """Try the host's addresses in turn, all of them within the connect timeout."""
        limit = time.monotonic() + min(self._connect_timeout, self.left())
        error: Exception = httpcore.ConnectError()
        for address in _addresses(host, port):
            left = limit - time.monotonic()
            if left <= 0:
                raise httpcore.ConnectTimeout
            try:
                return Stream(_SYSTEM.connect_tcp(address, port, left, socket_options=()), self)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as failure:
                error = failure
        raise error


class Stream(httpcore.NetworkStream):
    """A connection whose every read and write ends with the call's deadline."""

    def __init__(self, inner: httpcore.NetworkStream, line: Line) -> None:
        self._inner = inner
        self._line = line
        self._used = time.monotonic()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        received = self._inner.read(max_bytes, self._line.left())
        self._used = time.monotonic()
        return received

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if buffer:
            left = self._line.left()
            self._line.sent = True
            self._inner.write(buffer[:SEND_BYTES], left)
        for start in range(SEND_BYTES, len(buffer), SEND_BYTES):
            self._inner.write(buffer[start : start + SEND_BYTES], self._line.left())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = min(self._line.left(), timeout or self._line.left())
        return Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._line)

    def get_extra_info(self, info: str) -> Any:
        """httpcore asks an idle connection "is_readable", and drops it if so, as closed from the
        other side. One that has been idle for too long is better dropped as well.
        """
        if info == "is_readable" and time.monotonic() - self._used > self._line.max_idle:
            return True
        return self._inner.get_extra_info(info)


class Connection:
    """One keep-alive connection to one origin, over `line`; a new one where the old one is of no
    more use. No pool: that costs as much as reading an answer, and there is nothing to choose.
    """

    def __init__(self, origin: Origin, line: Line, ssl_context: ssl.SSLContext) -> None:
        scheme, host, port = origin
        self._url = httpcore.URL(scheme=scheme, host=host, port=port, target=b"/")
        self._line = line
        self._ssl_context = ssl_context
        self._connection = self._new()

    def exchange(
        self, method: str, target: bytes, headers: Headers, body: bytes, most: int
    ) -> tuple[int, Headers, bytes]:
        """Status, headers and body of the answer to one request; nothing of a body of more than
        `most` bytes.
        """
        request = httpcore.Request(
            method,
            self._url,
            headers=headers,
            content=[body] if body else [],
            extensions={"target": target},
        )
        answer = self._open().handle_request(request)
        try:
            received = bytearray()
            for chunk in answer.iter_stream():
                received += chunk
                if len(received) > most:
                    return answer.status, answer.headers, b""
            return answer.status, answer.headers, bytes(received)
        finally:
            answer.close()

    def close(self) -> None:
        """Close it; the next exchange opens another."""
        self._connection.close()

    def _open(self) -> httpcore.HTTPConnection:
        if not self._connection.is_available() or self._connection.has_expired():
            self._connection.close()
            self._connection = self._new()
        return self._connection

    def _new(self) -> httpcore.HTTPConnection:
        """It connects with its first request."""
        return httpcore.HTTPConnection(
            self._url.origin, ssl_context=self._ssl_context, network_backend=self._line
        )


def _addresses(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise httpcore.ConnectError from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))
