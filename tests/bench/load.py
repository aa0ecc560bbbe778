"""A load client that costs little, as it shares the cores with what it measures.

One thread, one selector, raw sockets with keep-alive. Each person asks, waits for the whole
answer, and asks again at once (a closed loop): nobody reads the page in between.
"""

import selectors
import socket
import time
from dataclasses import dataclass, field

LONGEST = 30.0  # seconds, whatever else was asked for


class UnexpectedAnswerError(Exception):
    """The server said something other than 200 with a Content-Length."""


@dataclass
class Slice:
    """One stretch of load: `latencies` in seconds, without each person's first request."""

    latencies: list[float] = field(default_factory=list)
    seconds: float = 0.0
    answers: int = 0  # the first requests too
    client_cpu: float = 0.0

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.answers / self.seconds

    def percentile(self, percent: float) -> float:
        """The latency, in seconds, that `percent` of the requests did not exceed."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


class _Person:
    """One keep-alive connection with one request that it repeats."""

    def __init__(self, port: int, request: bytes) -> None:
        self.request = request
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LONGEST)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""
        self.expected = 0  # bytes of the whole answer, once its head is in
        self.head = 0
        self.answers = 0
        self.asked = 0.0

    def ask(self) -> None:
        self.received, self.expected = b"", 0
        self.asked = time.perf_counter()
        self.socket.sendall(self.request)

    def hear(self) -> bool:
        """Read what is there; true once the answer is whole."""
        data = self.socket.recv(262_144)
        if not data:
            raise UnexpectedAnswerError("the server hung up")
        self.received += data
        if not self.expected and (end := self.received.find(b"\r\n\r\n")) >= 0:
            self.head = end + 4
            self.expected = self.head + _content_length(self.received[:end])
        return bool(self.expected) and len(self.received) >= self.expected


def _content_length(head: bytes) -> int:
    lines = head.lower().split(b"\r\n")
    if lines[0].split(b" ")[1] != b"200":
        raise UnexpectedAnswerError(head.decode("latin-1"))
    for line in lines:
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    raise UnexpectedAnswerError(head.decode("latin-1"))


def request(path: str, headers: dict[str, str]) -> bytes:
    """A GET as it goes over the wire."""
    lines = [f"GET {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


class Crowd:
    """`people` connections, of whom each repeats one of `requests`. Use it with `with`.

    They stay open until the end: a server's thread that ends takes its CPU time out of the books.
    """

    def __init__(self, port: int, requests: list[bytes], people: int) -> None:
        self.everybody = [
            _Person(port, requests[number % len(requests)]) for number in range(people)
        ]

    def __enter__(self) -> "Crowd":
        return self

    def __exit__(self, *_: object) -> None:
        for person in self.everybody:
            person.socket.close()

    def press(self, *, seconds: float = 0.0, answers: int = 0) -> Slice:
        """Load until both `seconds` have gone by and `answers` have come, at least two for each
        person; to LONGEST in any case. Once only: it leaves requests unanswered.
        """
        answers = max(answers, 2 * len(self.everybody))
        done = Slice()
        with selectors.DefaultSelector() as selector:
            for person in self.everybody:
                selector.register(person.socket, selectors.EVENT_READ, person)
            cpu, start = time.thread_time(), time.perf_counter()
            for person in self.everybody:
                person.ask()
            now = start
            while now - start < LONGEST and (now - start < seconds or done.answers < answers):
                ready = selector.select(timeout=1.0)
                now = time.perf_counter()
                for key, _ in ready:
                    _listen(key.data, done)
            done.seconds = now - start
            done.client_cpu = time.thread_time() - cpu
        return done


def _listen(person: _Person, done: Slice) -> None:
    if not person.hear():
        return
    if person.answers:
        done.latencies.append(time.perf_counter() - person.asked)
    person.answers += 1
    done.answers += 1
    person.ask()
