"""Many people in two workspaces at several sites behind nginx, while parts are killed.

    python -m tests.outages.crowd --people 200 --requests 12000

Three sites and two workers share one PostgreSQL cluster and one Redis server. People read lists,
open, create, change and delete contacts; who gets no page presses the same button again, as in a
browser. One site is killed and started again, later a worker, then both servers are restarted.
Prints one JSON object: what was lost, doubled or foreign, statuses, worst wait, memory after each
quarter, and in "failed" what must not have happened.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from bench import usage
from dashboard.administration.demo import free_port
from dashboard.standin import StandIn
from tests import nginx, postgres, redis_server
from tests.outages.people import Person, people

SITES, WORKERS = 3, 2
QUARTERS = (0.25, 0.5, 0.75, 1.0)
ENOUGH = 5_000  # requests, after which memory is judged: below that the sites are still warming up
DELETED = 12  # seconds in which a deletion is sent
FLAT = 0.05  # of its memory, that a site may grow by in the second half
OURS = ("400", "403", "500")  # statuses that no person of the crowd may see


class Site:
    """One site under gunicorn on a port of its own, which can be killed and started again."""

    def __init__(self) -> None:
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> "Site":
        """Start it, without waiting until it answers."""
        command = [sys.executable, "-m", "gunicorn", "-c", "python:dashboard.core.gunicorn"]
        command += ["--workers", "1"]
        command += ["-b", f"127.0.0.1:{self.port}", "--log-level", "error", "dashboard.wsgi"]
        self.process = subprocess.Popen(command, start_new_session=True)
        return self

    def wait(self) -> None:
        until = time.monotonic() + 120
        while time.monotonic() < until:
            try:
                httpx.get(f"http://127.0.0.1:{self.port}/healthz", headers={"Host": nginx.HOST})
            except httpx.TransportError:
                time.sleep(0.1)
            else:
                return
        raise AssertionError("a site has not started")

    def kill(self) -> None:
        """Kill every process of it at once."""
        if self.process:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def memory(self) -> float:
        """PSS of its processes in MB."""
        assert self.process
        processes = [self.process.pid, *usage.children(self.process.pid)]
        return sum(usage.memory(process).pss for process in processes)


class Worker:
    """A worker that a supervisor starts again when it ends, as systemd does."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._supervise)
        self.starts = 0

    def __enter__(self) -> "Worker":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def kill(self) -> None:
        """Kill it, whatever it does."""
        if self._process:
            self._process.kill()

    def _supervise(self) -> None:
        command = [sys.executable, "manage.py", "db_worker", "--interval", "0.5"]
        while not self._over.is_set():
            self.starts += 1
            with subprocess.Popen([*command, "--verbosity", "0"], stderr=subprocess.DEVNULL) as run:
                self._process = run
                while run.poll() is None and not self._over.wait(0.2):
                    pass
                run.terminate()


class Progress:
    """How much of the requests everybody has made together."""

    def __init__(self, crowd: list[Person], requests: int) -> None:
        self._crowd, self._requests = crowd, requests

    def wait_for(self, share: float) -> None:
        while sum(person.count for person in self._crowd) < share * self._requests:
            time.sleep(0.2)


def disturb(
    sites: list[Site],
    workers: list[Worker],
    servers: tuple[postgres.Cluster, redis_server.Server],
    total: Progress,
) -> None:
    """Kill one site a third of the way, a worker at half, restart both servers at two thirds."""
    cluster, redis = servers
    total.wait_for(1 / 3)
    sites[0].kill()
    time.sleep(2)
    sites[0].start().wait()
    total.wait_for(1 / 2)
    workers[0].kill()
    total.wait_for(2 / 3)
    redis.stop()
    cluster.stop()
    cluster.start()
    redis.start()


def measure(sites: list[Site], total: Progress, memory: list[int]) -> None:
    """Add the memory of these sites in MB after each quarter of the requests."""
    for share in QUARTERS:
        total.wait_for(share)
        memory.append(round(sum(site.memory() for site in sites)))


def judged(crowd: list[Person], standin: StandIn) -> dict[str, Any]:
    """What became of every create, beside what its person was told."""
    made = Counter(
        entry["body"].get("cstname")
        for entry in standin.ledger(operation="create")
        if entry["effect"]
    )
    lost, doubled, unnamed = [], [], []
    for person in crowd:
        pile = person.unsettled()
        for name, saved in person.told.items():
            doubled += [name] * (made[name] > 1)
            lost += [name] * (saved and not made[name])
            silent = not saved and made[name] and name not in pile
            unnamed += [name] * bool(silent and not found_in_list(person, name))
    done = Counter(entry["operation"] for entry in standin.ledger() if entry["effect"])
    return {
        "changes": done["update"],
        "deletions": done["delete"],
        "creates": sum(len(person.told) for person in crowd),
        "said to be saved": sum(sum(person.told.values()) for person in crowd),
        "lost": lost,
        "doubled": doubled,
        "in no pile and no list": unnamed,
    }


def found_in_list(person: Person, name: str) -> bool:
    """Whether a search finds a record whose person got no page about it."""
    page = person.page(f"/contacts/?search={name}")
    return page is not None and bool(re.search(rf">\s*{name}\s*<", page.text))


def failures(found: dict[str, Any]) -> list[str]:
    """What must not have happened, in words."""
    wrong = [name for name in ("lost", "doubled", "in no pile and no list") if found[name]]
    wrong += ["foreign rows"] * bool(found["foreign rows"])
    wrong += [f"status {each}" for each in OURS if each in found["statuses"]]
    _, half, _, end = found["memory by quarter"]
    grown = found["requests"] >= ENOUGH and end > half * (1 + FLAT)
    return wrong + ["memory grows"] * grown


def prepare(standin: StandIn, stack: ExitStack) -> tuple[postgres.Cluster, redis_server.Server]:
    """Start PostgreSQL and Redis, and set up Django for them."""
    cluster = stack.enter_context(postgres.stoppable())
    redis = stack.enter_context(redis_server.stoppable())
    os.environ |= {"API_BASE_URL": standin.url, "DATABASE_URL": cluster.url}
    os.environ |= {"CACHE_URL": redis.url, "DJANGO_SETTINGS_MODULE": "tests.outages.settings"}
    os.environ |= {"ALLOWED_HOSTS": nginx.HOST, "BEHIND_PROXY": "on"}
    os.environ["LOG_LEVEL"] = "ERROR"
    import django

    from tests.databases import make_tables

    django.setup()
    make_tables()
    return cluster, redis


def work(crowd: list[Person], requests: int, *beside: Any) -> float:
    """Let everybody make these requests, while functions of the progress run; the seconds."""
    total = Progress(crowd, requests * len(crowd))
    threads = [threading.Thread(target=each, args=(total,)) for each in beside]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    with ThreadPoolExecutor(len(crowd)) as pool:
        for done in [pool.submit(person.work, requests) for person in crowd]:
            done.result()
    seconds = time.monotonic() - begun
    for thread in threads:
        thread.join()
    return seconds


def wait_for_deletions() -> None:
    """Wait until the workers have sent what was counting down."""
    from django.db import close_old_connections

    from dashboard.writes.models import Write

    close_old_connections()  # the database has cut them
    until = time.monotonic() + DELETED
    while Write.objects.filter(state=Write.State.WAITING).exists() and time.monotonic() < until:
        time.sleep(0.2)


def measured(standin: StandIn, stack: ExitStack, count: int, requests: int) -> dict[str, Any]:
    servers = prepare(standin, stack)
    sites = [Site() for _ in range(SITES)]
    for site in sites:
        stack.callback(site.kill)
        site.start()
    for site in sites:
        site.wait()
    workers = [stack.enter_context(Worker()) for _ in range(WORKERS)]
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    port = stack.enter_context(nginx.running(folder, *(site.port for site in sites)))
    crowd = people(standin, f"https://127.0.0.1:{port}", count)
    standin.latency = 0.05
    memory: list[int] = []
    seconds = work(
        crowd,
        requests // count,
        partial(disturb, sites, workers, servers),
        lambda total: measure(sites[1:], total, memory),  # the first one is killed
    )
    wait_for_deletions()
    statuses = sum((person.statuses for person in crowd), Counter())
    return {
        **judged(crowd, standin),
        "requests": statuses.total(),
        "a second": round(statuses.total() / seconds, 1),
        "statuses": dict(statuses),
        "foreign rows": sum(person.foreign_rows for person in crowd),
        "worst wait": round(max(person.worst for person in crowd), 1),
        "memory by quarter": memory,
        "starts of workers": [one.starts for one in workers],
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--requests", type=int, default=12_000)
    asked = parser.parse_args()
    with ExitStack() as stack:
        standin = stack.enter_context(StandIn(profile="verbose", size="small", seed=1))
        found = measured(standin, stack, asked.people, asked.requests)
    wrong = failures(found)
    print(json.dumps({**found, "failed": wrong}))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
