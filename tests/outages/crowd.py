"""Many people in two workspaces at several sites behind nginx, while parts are killed.

    python -m tests.outages.crowd --people 200 --requests 12000

Three sites and two workers share one PostgreSQL cluster and one Redis server. People read lists,
open, create, change and delete contacts; who gets no page presses the same button again, as in a
browser. One site is killed and started again, later both servers are restarted. Prints one JSON
object; tests/outages/test_crowd.py says what must be in it.
"""

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx

from dashboard.demo import free_port
from dashboard.standin import StandIn
from tests import nginx, postgres, redis_server
from tests.bench import usage
from tests.resources.forms import submitted

WORKSPACES = ("acme", "globex")
SITES, WORKERS = 3, 2
TRIES = 8  # presses of one button
SAVED = 302
BY_NAME = {"sni_hostname": nginx.HOST}
PAUSE = 0.5  # seconds before a button is pressed again


class Site:
    """One site under gunicorn on a port of its own, which can be killed and started again."""

    def __init__(self) -> None:
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "gunicorn", "-c", "python:dashboard.gunicorn"]
        command += ["-b", f"127.0.0.1:{self.port}", "--log-level", "error", "dashboard.wsgi"]
        self.process = subprocess.Popen(command, start_new_session=True)
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


@contextmanager
def worker() -> Iterator[None]:
    """A worker that a supervisor starts again when it ends."""
    over = threading.Event()

    def supervise() -> None:
        while not over.is_set():
            command = [sys.executable, "manage.py", "db_worker", "--interval", "0.5"]
            with subprocess.Popen([*command, "--verbosity", "0"], stderr=subprocess.DEVNULL) as run:
                while run.poll() is None and not over.wait(0.2):
                    pass
                run.terminate()

    thread = threading.Thread(target=supervise)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class Person:
    """Somebody of one workspace who works on, whatever happens, until the requests are used up."""

    def __init__(self, address: str, cookie: dict[str, str], workspace: str, number: int) -> None:
        self.workspace, self.mark = workspace, f"zebra-{workspace}-{number}"
        self.foreign = next(f"zebra-{each}-" for each in WORKSPACES if each != workspace)
        options: dict[str, Any] = {"timeout": 90, "trust_env": False, "verify": False}
        headers = {"Host": nginx.HOST, "Referer": f"https://{nginx.HOST}/"}
        self.browser = httpx.Client(base_url=address, cookies=cookie, headers=headers, **options)
        self.random = random.Random(number)
        self.own: list[str] = []  # paths of records that this person created
        self.told: dict[str, bool] = {}  # what was created, and whether it was said to be saved
        self.statuses: Counter[str] = Counter()
        self.foreign_rows, self.worst, self.count = 0, 0.0, 0

    def work(self, requests: int) -> None:
        actions = [self.read] * 6 + [self.create] * 2 + [self.change, self.delete]
        while self.count < requests:
            self.random.choice(actions)()

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response | None:
        begun = time.monotonic()
        try:
            answer = self.browser.request(method, path, extensions=BY_NAME, **more)
        except httpx.TransportError as error:
            self.statuses[type(error).__name__] += 1
            return None
        finally:
            self.worst = max(self.worst, time.monotonic() - begun)
            self.count += 1
        self.statuses[str(answer.status_code)] += 1
        self.foreign_rows += self.foreign in answer.text
        return answer

    def page(self, path: str) -> httpx.Response | None:
        """The page; asked for again while there is none."""
        for _ in range(TRIES):
            answer = self.ask("GET", path)
            if answer is not None and answer.status_code < 500:
                return answer
            time.sleep(PAUSE)
        return None

    def post(self, path: str, form: dict[str, Any]) -> httpx.Response | None:
        """The answer to a form; the same button is pressed again while there is no page."""
        for _ in range(TRIES):
            answer = self.ask("POST", path, data=form)
            if answer is not None and answer.status_code not in (502, 503, 504):
                return answer
            time.sleep(PAUSE)
        return None

    def read(self) -> None:
        page = self.random.choice(
            ["/contacts/?search=zebra", "/contacts/?page=2", "/", "/deals/", "/unfinished/"]
        )
        self.page(page)

    def create(self) -> None:
        page = self.page("/contacts/new/")
        if page is None or page.status_code != 200:
            return
        name = f"{self.mark}-{len(self.told)}"
        self.told[name] = False
        answer = self.post("/contacts/new/", submitted(page, cstname=name))  # type: ignore[arg-type]
        if answer is not None and answer.status_code == SAVED:
            self.told[name] = True
            self.own.append(answer.headers["Location"].partition("?")[0])

    def change(self) -> None:
        if not self.own:
            return
        path = self.random.choice(self.own)
        page = self.page(f"{path}edit/")
        if page is not None and page.status_code == 200:
            phone = f"+44 20 7946 {self.random.randrange(1000, 9999)}"
            self.post(f"{path}edit/", submitted(page, csttelephone=phone))  # type: ignore[arg-type]

    def delete(self) -> None:
        if not self.own:
            return
        path = self.own.pop()
        page = self.page(f"{path}delete/")
        if page is not None and page.status_code == 200:
            self.post(f"{path}delete/", submitted(page))  # type: ignore[arg-type]

    def unsettled(self) -> str:
        """The text of Not sure and Unfinished."""
        pages = [self.page("/unsure/"), self.page("/unfinished/")]
        return " ".join(page.text for page in pages if page is not None)


def people(standin: StandIn, address: str, count: int) -> list[Person]:
    """Managers with keys, half of them in each workspace."""
    from django.conf import settings
    from django.test import Client

    from dashboard.accounts import roles
    from dashboard.accounts.models import User
    from tests.workspaces import connect

    found = []
    for number in range(count):
        workspace = WORKSPACES[number % 2]
        user = User.objects.create(username=f"person{number}", email=f"p{number}@a.test")
        roles.set_role(user, roles.MANAGER)
        access, secret = standin.keys[workspace][0]
        connect(user, access=access, secret=secret, workspace=workspace)
        client = Client()
        client.force_login(user)
        name = settings.SESSION_COOKIE_NAME
        cookie = {name: client.cookies[name].value}
        found.append(Person(address, cookie, workspace, number))
    return found


def disturb(
    sites: list[Site], cluster: postgres.Cluster, redis: redis_server.Server, total: Any
) -> None:
    """Kill one site a third of the way, restart both servers at two thirds."""
    total.wait_for(1 / 3)
    sites[0].kill()
    time.sleep(2)
    sites[0].start()
    total.wait_for(2 / 3)
    redis.stop()
    cluster.stop()
    cluster.start()
    redis.start()


class Progress:
    """How much of the requests everybody has made together."""

    def __init__(self, crowd: list[Person], requests: int) -> None:
        self._crowd, self._requests = crowd, requests

    def wait_for(self, share: float) -> None:
        while sum(person.count for person in self._crowd) < share * self._requests:
            time.sleep(0.2)


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
    return {
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


def measured(standin: StandIn, stack: ExitStack, count: int, requests: int) -> dict[str, Any]:
    """Run the crowd."""
    cluster = stack.enter_context(postgres.stoppable())
    redis = stack.enter_context(redis_server.stoppable())
    os.environ |= {"API_BASE_URL": standin.url, "DATABASE_URL": cluster.url}
    os.environ |= {"CACHE_URL": redis.url, "DJANGO_SETTINGS_MODULE": "tests.outages.settings"}
    os.environ |= {"ALLOWED_HOSTS": nginx.HOST, "BEHIND_PROXY": "on", "WEB_CONCURRENCY": "1"}
    os.environ["LOG_LEVEL"] = "ERROR"
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    sites = [Site() for _ in range(SITES)]
    for site in sites:
        stack.callback(site.kill)
        site.start()
    for _ in range(WORKERS):
        stack.enter_context(worker())
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    port = stack.enter_context(nginx.running(folder, *(site.port for site in sites)))
    crowd = people(standin, f"https://127.0.0.1:{port}", count)
    standin.latency = 0.05
    memory = sum(site.memory() for site in sites[1:])
    begun = time.monotonic()
    disturbing = threading.Thread(
        target=disturb, args=(sites, cluster, redis, Progress(crowd, requests))
    )
    disturbing.start()
    with ThreadPoolExecutor(count) as pool:
        for work in [pool.submit(person.work, requests // count) for person in crowd]:
            work.result()
    disturbing.join()
    seconds = time.monotonic() - begun
    time.sleep(12)  # deletions end
    statuses = sum((person.statuses for person in crowd), Counter())
    return {
        **judged(crowd, standin),
        "requests": statuses.total(),
        "a second": round(statuses.total() / seconds, 1),
        "statuses": dict(statuses),
        "foreign rows": sum(person.foreign_rows for person in crowd),
        "worst wait": round(max(person.worst for person in crowd), 1),
        "memory": [round(memory), round(sum(site.memory() for site in sites[1:]))],
    }


def main() -> None:
    """Run it and print what was found as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--requests", type=int, default=12_000)
    asked = parser.parse_args()
    with ExitStack() as stack:
        standin = stack.enter_context(StandIn(profile="verbose", size="small", seed=1))
        found = measured(standin, stack, asked.people, asked.requests)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
