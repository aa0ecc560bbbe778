"""Rounds of load. Every round measures each case, so that noise affects all cases alike."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from statistics import median

from . import load, usage
from .site import ADMIN, API, FLOOR, PAGE, Site

FLOOR_ROWS = 25
LATENCY = 50  # of the API, in ms
SETTLED = 2000  # requests after which caches and heaps no longer grow


@dataclass(frozen=True)
class Case:
    """One case: the server, the number of connections and of rows; `latency` of the API in ms."""

    target: str
    rows: int
    people: int
    latency: int = 0


@dataclass(frozen=True)
class Sample:
    """One slice of load, or the medians of several. Times in ms, CPU in ms per request."""

    p50: float
    p95: float
    p99: float
    rate: float
    cpu: float  # of the measured server
    client: float  # of the load client
    others: float  # cores used by processes other than this one and the servers
    longest: float  # the longest wait of the slice


@dataclass(frozen=True)
class Plan:
    """What to measure. `seconds` is the length of a slice."""

    people: tuple[int, ...]
    rounds: int
    seconds: float

    def cases(self) -> Iterator[Case]:
        """The cases of a round; those that are compared follow each other."""
        for rows in (FLOOR_ROWS, 100):
            for people in self.people:
                yield Case(API, rows, people, LATENCY)
                yield Case(PAGE, rows, people, LATENCY)
                if rows == FLOOR_ROWS:
                    yield Case(FLOOR, rows, people, LATENCY)
                if people <= 16:  # the admin has fewer threads
                    yield Case(ADMIN, rows, people)


Results = dict[Case, list[Sample]]


def run(site: Site, plan: Plan) -> Results:
    results: Results = {case: [] for case in plan.cases()} if plan.rounds else {}
    for number in range(plan.rounds):
        for case in results:
            progress(f"round {number + 1} of {plan.rounds}: {case}")
            results[case].append(_sample(site, case, plan.seconds))
    progress("")
    return results


def warm_up(site: Site, *, answers: int) -> None:
    """Load every server until its threads have open connections and filled caches."""
    site.standin.ask("/latency", {"seconds": 0})
    for target, server in site.servers.items():
        progress(f"warming up: {target}")
        with load.Crowd(server.port, site.requests(target, 25), 64) as crowd:
            crowd.run(answers=answers)


def progress(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text}\x1b[K")


def medians(samples: list[Sample]) -> Sample:
    names = [field.name for field in fields(Sample)]
    return Sample(*(median(getattr(sample, name) for sample in samples) for name in names))


def _sample(site: Site, case: Case, seconds: float) -> Sample:
    site.standin.ask("/latency", {"seconds": case.latency / 1000})
    server = site.servers[case.target]
    everybody = [pid for each in site.servers.values() for pid in each.processes]
    requests = site.requests(case.target, case.rows)
    with load.Crowd(server.port, requests, case.people) as crowd:
        cpu, ours = usage.cpu_seconds(server.processes), usage.cpu_seconds(everybody)
        all_of_it = usage.busy_seconds()
        done = crowd.run(seconds=seconds)
        cpu = usage.cpu_seconds(server.processes) - cpu
        ours = usage.cpu_seconds(everybody) - ours + done.client_cpu
        others = max(0.0, usage.busy_seconds() - all_of_it - ours) / done.seconds
    return Sample(
        p50=done.percentile(50) * 1000,
        p95=done.percentile(95) * 1000,
        p99=done.percentile(99) * 1000,
        rate=done.rate,
        cpu=cpu * 1000 / done.answers,
        client=done.client_cpu * 1000 / done.answers,
        others=others,
        longest=done.longest * 1000,
    )


@dataclass(frozen=True)
class MemoryUse:
    """Memory of the largest worker after the first SETTLED of `requests`, and after all."""

    requests: int
    settled: usage.Memory
    after: usage.Memory


def memory_over(site: Site, requests: int, *, people: int = 16) -> MemoryUse:
    """Memory of the dashboard's workers while they answer `requests` list pages."""
    site.standin.ask("/latency", {"seconds": 0})
    server = site.servers[PAGE]
    mixed = [each for rows in (25, 100) for each in site.requests(PAGE, rows)[:8]]
    settled, asked = None, 0
    while asked < requests:
        with load.Crowd(server.port, mixed, people) as crowd:
            asked += crowd.run(answers=min(SETTLED, requests - asked)).answers
        settled = settled or _largest_worker(server.processes)
        progress(f"memory: {asked} of {requests} requests")
    progress("")
    after = _largest_worker(server.processes)
    return MemoryUse(asked, settled or after, after)


def _largest_worker(processes: list[int]) -> usage.Memory:
    return max((usage.memory(pid) for pid in processes), key=lambda each: each.rss)
