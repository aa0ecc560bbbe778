"""A load client that uses little CPU, as it shares the cores with the servers.

One thread, one selector, raw sockets with keep-alive. `Crowd.run` is a closed loop: each connection
sends the next request as soon as the answer is complete. `run_with_pauses` pauses between them.
"""

import heapq
import random
import selectors
import socket
import time
from dataclasses import dataclass, field

LONGEST = 30.0  # seconds, unless a longer run is asked for


class UnexpectedAnswerError(Exception):
    """The server answered something other than 200 with a Content-Length."""


@dataclass
class Slice:
    """One period of load: `latencies` in seconds, without the first request of each connection.

    `longest` is the longest wait in seconds, first requests and those still unanswered included.
    """

    latencies: list[float] = field(default_factory=list)
    seconds: float = 0.0
    answers: int = 0  # with the first requests
    client_cpu: float = 0.0
    longest: float = 0.0

    @property
    def rate(self) -> float:
        return self.answers / self.seconds

    def percentile(self, percent: float) -> float:
        """The latency, in seconds, that `percent` of the requests did not exceed."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


class Connection:
    """One keep-alive connection with one request that it repeats."""

    def __init__(self, port: int, request: bytes) -> None:
        self.request = request
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LONGEST)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""
        self.expected = 0  # bytes of the whole answer, once its head is in
        self.head = 0
        self.answers = 0
        self.sent_at = 0.0

    def send(self) -> None:
        self.received, self.expected = b"", 0
        self.sent_at = time.perf_counter()
        self.socket.sendall(self.request)

    def receive(self) -> bool:
        data = self.socket.recv(262_144)
        if not data:
            raise UnexpectedAnswerError("the server closed the connection")
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
    lines = [f"GET {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


class Crowd:
    """A context manager of `people` connections, each of which repeats one of `requests`.

    Connections stay open until the end: the CPU time of a server's thread that ends is lost.
    """

    def __init__(self, port: int, requests: list[bytes], people: int) -> None:
        self.connections = [
            Connection(port, requests[number % len(requests)]) for number in range(people)
        ]

    def __enter__(self) -> "Crowd":
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self.connections:
            connection.socket.close()

    def run(self, *, seconds: float = 0.0, answers: int = 0) -> Slice:
        """Send requests until `seconds` have passed and `answers` have come, at least two for each
        connection, but no longer than LONGEST or `seconds`. Call it once: it leaves requests
        unanswered.
        """
        answers = max(answers, 2 * len(self.connections))
        limit = max(LONGEST, seconds)
        done = Slice()
        with selectors.DefaultSelector() as selector:
            for connection in self.connections:
                selector.register(connection.socket, selectors.EVENT_READ, connection)
            cpu, start = time.thread_time(), time.perf_counter()
            for connection in self.connections:
                connection.send()
            now = start
            while now - start < limit and (now - start < seconds or done.answers < answers):
                ready = selector.select(timeout=1.0)
                now = time.perf_counter()
                for key, _ in ready:
                    _repeat(key.data, done)
            done.seconds = now - start
            done.client_cpu = time.thread_time() - cpu
            waiting = (time.perf_counter() - connection.sent_at for connection in self.connections)
            done.longest = max(done.longest, *waiting)
        return done


def _repeat(connection: Connection, done: Slice) -> None:
    if _count_answer(connection, done):
        connection.send()


def _count_answer(connection: Connection, done: Slice) -> bool:
    if not connection.receive():
        return False
    waited = time.perf_counter() - connection.sent_at
    done.longest = max(done.longest, waited)
    if connection.answers:
        done.latencies.append(waited)
    connection.answers += 1
    done.answers += 1
    return True


@dataclass
class PausingCrowd:
    """A crowd whose connections pause between requests; `pause` is (least, most) in seconds."""

    crowd: Crowd
    pause: tuple[float, float]
    done: Slice = field(default_factory=Slice)
    waiting: set[Connection] = field(default_factory=set)


class Schedule:
    """The times at which the next requests are due."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, PausingCrowd, Connection]] = []
        self._count = 0

    def add(self, when: float, group: PausingCrowd, connection: Connection) -> None:
        self._count += 1  # decides between equal times
        heapq.heappush(self._due, (when, self._count, group, connection))

    def send_due(self, now: float) -> None:
        while self._due and self._due[0][0] <= now:
            _, _, group, connection = heapq.heappop(self._due)
            group.waiting.add(connection)
            connection.send()

    def seconds_until_next(self, now: float) -> float:
        """The time until the next request, at most 0.1 s so that a run ends in time."""
        return min(0.1, max(0.0, self._due[0][0] - now)) if self._due else 0.1


def run_with_pauses(groups: list[PausingCrowd], seconds: float) -> None:
    """Run all groups at the same time for `seconds`, and on until each has a latency, but no longer
    than LONGEST or `seconds`; `done` of each has its figures.

    The first request of each connection is sent at a random time of its first pause.
    """
    limit = max(LONGEST, seconds)
    start = now = time.perf_counter()
    schedule = Schedule()
    with selectors.DefaultSelector() as selector:
        for group in groups:
            for connection in group.crowd.connections:
                selector.register(connection.socket, selectors.EVENT_READ, (group, connection))
                schedule.add(now + random.uniform(0, group.pause[1]), group, connection)
        while now - start < seconds or (now - start < limit and _lack_latencies(groups)):
            schedule.send_due(now)
            for key, _ in selector.select(timeout=schedule.seconds_until_next(now)):
                group, connection = key.data
                _schedule_next(group, connection, schedule)
            now = time.perf_counter()
    for group in groups:
        group.done.seconds = now - start
        waits = [now - connection.sent_at for connection in group.waiting]
        group.done.longest = max([group.done.longest, *waits])


def _lack_latencies(groups: list[PausingCrowd]) -> bool:
    return not all(group.done.latencies for group in groups)


def _schedule_next(group: PausingCrowd, connection: Connection, schedule: Schedule) -> None:
    if _count_answer(connection, group.done):
        group.waiting.discard(connection)
        schedule.add(time.perf_counter() + random.uniform(*group.pause), group, connection)
