"""A small HTTP/1.1 server on threads: keep-alive, one send per response, no Nagle delay.

Not `http.server`: that spends more time on a request than the rest of the stand-in, and faults
need the socket.
"""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus

MAX_HEAD = 64 * 1024
MAX_BODY = 8 * 1024 * 1024
REASONS = {int(status): status.phrase for status in HTTPStatus}


@dataclass(slots=True)
class Request:
    """A request; header names in lower case, path and query still percent-encoded."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Response:
    """What to send.

    If `send` is set, that function sends the response and the connection is closed afterwards.
    If `surplus` is set, it is sent on the same connection after the response: in the same segment,
    or `surplus_delay` seconds later if that is not 0. No further request is read before that.
    """

    status: int
    body: bytes
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    send: "Callable[[Server, socket.socket, Response], None] | None" = None
    surplus: "Response | None" = None
    surplus_delay: float = 0.0

    def head(self) -> bytes:
        """Return the status line and headers."""
        extra = "".join(f"{name}: {value}\r\n" for name, value in self.headers)
        return (
            f"HTTP/1.1 {self.status} {REASONS.get(self.status, 'Status')}\r\n"
            f"Content-Type: {self.content_type}\r\n"
            f"Content-Length: {len(self.body)}\r\n{extra}\r\n"
        ).encode("latin-1")


class MalformedError(Exception):
    """The bytes are no request that this server accepts; `status` is that of the response."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class RequestReader:
    """Reads one request after another from a connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.buffer = b""

    def _receive(self) -> bool:
        data = self.connection.recv(65536)
        self.buffer += data
        return bool(data)

    def request(self) -> Request | None:
        """Return the next request, or None if the client has closed the connection."""
        while (end := self.buffer.find(b"\r\n\r\n")) < 0:
            if len(self.buffer) > MAX_HEAD:
                raise MalformedError(431)
            if not self._receive():
                return None
        lines = self.buffer[:end].decode("latin-1").split("\r\n")
        self.buffer = self.buffer[end + 4 :]
        try:
            method, target, _version = lines[0].split(" ")
        except ValueError as error:
            raise MalformedError(400) from error
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        path, _, query = target.partition("?")
        body = self._body(headers)
        return None if body is None else Request(method, path, query, headers, body)

    def _body(self, headers: dict[str, str]) -> bytes | None:
        if "transfer-encoding" in headers:
            raise MalformedError(411)
        declared = headers.get("content-length", "0")
        if not declared.isdecimal():
            raise MalformedError(400)
        length = int(declared)
        if length > MAX_BODY:
            raise MalformedError(413)
        if "expect" in headers:
            self.connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        while len(self.buffer) < length:
            if not self._receive():
                return None
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        return body


class Server:
    """Listens on a loopback port; every connection has a thread.

    `handle` returns the response to a request and must not raise. Port 0 chooses a free port.
    """

    def __init__(self, handle: Callable[[Request], Response], host: str, port: int) -> None:
        self.handle = handle
        self.host = host
        self.connections: set[socket.socket] = set()
        self.closed = False
        self.listener = self._bind(port)
        self.port: int = self.listener.getsockname()[1]

    def _bind(self, port: int) -> socket.socket:
        listener = socket.create_server((self.host, port), backlog=512)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener

    @property
    def url(self) -> str:
        """Return the base address."""
        return f"http://{self.host}:{self.port}"

    def start(self) -> None:
        """Accept connections in a background thread."""
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def refuse(self) -> None:
        """Stop listening and close every connection: new ones are refused until `accept`."""
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in list(self.connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def accept(self) -> None:
        """Listen again on the same port after `refuse`."""
        if self.listener.fileno() < 0 and not self.closed:
            self.listener = self._bind(self.port)
            self.start()

    def close(self) -> None:
        """Stop listening and close every connection."""
        self.closed = True
        self.refuse()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        self.connections.add(connection)
        with suppress(OSError), connection:
            reader = RequestReader(connection)
            try:
                while request := reader.request():
                    if not self._respond(connection, request):
                        break
            except MalformedError as error:
                malformed = Response(error.status, b'{"success":false}')
                connection.sendall(malformed.head() + malformed.body)
        self.connections.discard(connection)

    def _respond(self, connection: socket.socket, request: Request) -> bool:
        """Respond to one request; true if the connection stays open for the next."""
        response = self.handle(request)
        if response.send is not None:
            response.send(self, connection, response)
            return False
        body = b"" if request.method == "HEAD" else response.body
        sent, surplus = response.head() + body, b""
        if response.surplus is not None:
            surplus = response.surplus.head() + response.surplus.body
        if response.surplus_delay:
            connection.sendall(sent)
            time.sleep(response.surplus_delay)
            sent = b""
        connection.sendall(sent + surplus)
        return request.headers.get("connection", "").lower() != "close"
