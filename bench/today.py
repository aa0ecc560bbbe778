"""The page Today beside the raw calls that it makes, all sent at once by each person.

One turn of a person is one page, or one round of calls until the slowest has answered.
"""

import selectors
import time
from dataclasses import dataclass
from datetime import date
from functools import partial
from statistics import median

from . import load, rounds
from .budgets import Verdict
from .site import API, PAGE, Site

LIMITS = {1: 1.12, 16: 1.4}  # by the people at once
LATENCIES = (100, 300)  # of the API, in ms
TURNS = 12  # of each person in a slice, without the first


def calls() -> list[str]:
    """The calls of a full page for somebody whose id in the service is not known."""
    tasks = f"/v1/tasks?due_date_to={date.today()}&pageSize=50&pageIndex=0&status="
    return [
        "/v1/invoices?inv_status=0&pageSize=100&pageIndex=0",
        f"{tasks}0",
        f"{tasks}1",
        "/v1/deals?pageSize=100&pageIndex=0",
        "/v1/leads?lead_status=New&pageSize=5&pageIndex=0",
    ]


@dataclass(frozen=True)
class Turns:
    """Medians of one case in ms: of a page, and of its raw calls side by side; `ratio` of both is
    the median of the ratios of the rounds.
    """

    people: int
    latency: int
    page: float
    raw: float
    ratio: float


class Person:
    """Sends several requests at once, each over a connection of its own, again and again."""

    def __init__(self, port: int, requests: list[bytes]) -> None:
        self.connections = [load.Connection(port, request) for request in requests]
        self.missing = 0
        self.begun = 0.0

    def send(self) -> None:
        self.begun, self.missing = time.perf_counter(), len(self.connections)
        for connection in self.connections:
            connection.send()

    def receive(self, connection: load.Connection) -> bool:
        self.missing -= connection.receive()
        return not self.missing


def median_turn(people: list[Person], turns: int) -> float:
    """The median time of a turn in ms, of `turns` for each person, their first ones left out."""
    times: list[float] = []
    count = 0
    with selectors.DefaultSelector() as selector:
        for person in people:
            for connection in person.connections:
                selector.register(connection.socket, selectors.EVENT_READ, (person, connection))
            person.send()
        while count < (turns + 1) * len(people):
            for key, _ in selector.select(timeout=load.LONGEST):
                person, connection = key.data
                if person.receive(connection):
                    times.append(time.perf_counter() - person.begun)
                    count += 1
                    person.send()
    for person in people:
        for connection in person.connections:
            connection.socket.close()
    return median(times[len(people) :]) * 1000


def measured(site: Site, *, count: int, turns: int = TURNS) -> list[Turns]:
    """Every case in `count` rounds, the page and the raw calls in turns. The page is warm: its open
    invoices are kept for a minute, names for a day.
    """
    pages = [[load.request("/", headers)] for headers in site.headers[PAGE]]
    raw = [[load.request(path, headers) for path in calls()] for headers in site.headers[API]]
    site.standin.ask("/latency", {"seconds": 0})
    median_turn([Person(site.servers[PAGE].port, each) for each in pages[:32]], 4)  # warm up
    found: list[Turns] = []
    for latency in LATENCIES if count else ():
        site.standin.ask("/latency", {"seconds": latency / 1000})
        for people in LIMITS:
            rounds.progress(f"Today: {people} at once, API {latency} ms")
            crowds = partial(_people, site, people=people)
            times = [
                (median_turn(crowds(PAGE, pages), turns), median_turn(crowds(API, raw), turns))
                for _ in range(count)
            ]
            ours, theirs = (median(each) for each in zip(*times, strict=True))
            found.append(
                Turns(people, latency, ours, theirs, median(page / each for page, each in times))
            )
    rounds.progress("")
    return found


def _people(site: Site, target: str, requests: list[list[bytes]], *, people: int) -> list[Person]:
    port = site.servers[target].port
    return [Person(port, requests[number % len(requests)]) for number in range(people)]


def table(found: list[Turns]) -> str:
    head = f"Today beside its {len(calls())} calls at once: medians in ms of a page, of the calls."
    lines = [
        f"{each.people:>3} people, API {each.latency} ms {each.page:>8.1f} {each.raw:>8.1f}"
        for each in found
    ]
    return "\n".join([head, *lines])


def budgets(found: list[Turns]) -> list[Verdict]:
    return [
        Verdict(
            f"Today / its calls side by side, API {each.latency} ms, {each.people} at once",
            each.ratio,
            LIMITS[each.people],
            "x",
        )
        for each in found
    ]
