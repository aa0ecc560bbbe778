"""Servers on raw sockets with scripted faults."""

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

Handler = Callable[[socket.socket, bytes], None]

ROWS = [{"cstid": 1, "cstname": "Ada"}, {"cstid": "2", "cstname": "Bo"}]
LIST = {"success": True, "data": {"data": ROWS, "current_page": 1, "total_records": 2}}
SAVED = {"success": True, "message": "Done", "data": {"cstid": 9, "cstname": "Acme"}}
ACME = {"cstname": "Acme", "contact_type": 2}


def answer(status: int = 200, body: Any = None, headers: str = "") -> bytes:
    """A whole HTTP answer; a body that is no bytes is sent as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return (
        f"HTTP/1.1 {status} Some\r\nContent-Length: {len(content)}\r\n{headers}\r\n".encode()
        + content
    )


def says(*args: Any, **kwargs: Any) -> Handler:
    return lambda connection, _request: connection.sendall(answer(*args, **kwargs))


def chunked(status: int = 200, body: Any = None) -> bytes:
    """The same as `answer`, in two chunks instead of with a Content-Length."""
    content = json.dumps(body).encode()
    chunks = [content[:7], content[7:], b""]
    framed = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    return f"HTTP/1.1 {status} Some\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + framed


def hangs(connection: socket.socket, _request: bytes) -> None:
    """Keep the connection open without an answer until the client closes it."""
    connection.settimeout(10)
    connection.recv(1)


def drips(start: bytes, drop: bytes) -> Handler:
    """Send `start`, then `drop` every few milliseconds until the client closes the connection."""

    def handle(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(start)
        while True:
            time.sleep(0.01)
            connection.sendall(drop)

    return handle


def resets(connection: socket.socket, _request: bytes) -> None:
    """Reset the connection after the request was read."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    connection.close()


def closes(connection: socket.socket, _request: bytes) -> None:
    """Close the connection without an answer after the request was read."""
    connection.close()


class RawServer:
    """Serves each request by the next of `handlers`, and every further one by the last.

    `requests` holds the whole requests received. `greeting` is sent on each new connection, before
    anything is read. One thread per connection; loopback, any free port.
    """

    def __init__(
        self, *handlers: Handler, tls: ssl.SSLContext | None = None, greeting: bytes = b""
    ) -> None:
        self.requests: list[bytes] = []
        self._handlers = list(handlers)
        self._greeting = greeting
        self._lock = threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        self._tls = tls
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> "RawServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), self._secured(connection) as connection:
            connection.sendall(self._greeting)
            while request := _read_request(connection):
                with self._lock:
                    self.requests.append(request)
                    last = len(self._handlers) == 1
                    handler = self._handlers[0] if last else self._handlers.pop(0)
                handler(connection, request)

    def _secured(self, connection: socket.socket) -> socket.socket:
        return self._tls.wrap_socket(connection, server_side=True) if self._tls else connection


def _read_request(connection: socket.socket) -> bytes:
    """One request with its body, b"" at the end."""
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = connection.recv(65536)
        if not chunk:
            return b""
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            while len(body) < int(line.split(b":")[1]):
                body += connection.recv(65536)
    return head + b"\r\n\r\n" + body
