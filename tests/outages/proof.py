"""Stops PostgreSQL, Redis, the service, the mail server and a worker under two dashboards, each as
`dashboard.core.gunicorn` has it, and starts them again.

    python -m tests.outages.proof

Prints one JSON object; tests/outages/test_outages.py says what must be in it.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import httpx

from dashboard.standin import StandIn
from tests import postgres, redis_server
from tests.page_forms import fields
from tests.waits import wait_until

AT_ONCE = 128  # requests: two dashboards of two processes of 32 threads
LATENCY = 0.2  # seconds that a call to the API takes
WRITING = 3  # seconds that a create takes while the database is stopped
ADDRESS, PASSWORD = "ann@a.test", "no password of ann's"
AWAY = "be reached|is not answering"  # the second once calls are paused
PATIENCE = 60  # seconds until a dashboard must answer again


@dataclass
class Dashboard:
    """One dashboard under gunicorn: its address, and the lines that it has logged."""

    address: str
    log: list[str] = field(default_factory=list)


@contextmanager
def dashboard() -> Iterator[Dashboard]:
    command = [sys.executable, "-m", "gunicorn", "-c", "python:dashboard.core.gunicorn"]
    command += ["-b", "127.0.0.1:0", "--graceful-timeout", "1", "dashboard.wsgi"]
    with running(command) as (_, log):
        said = wait_until(lambda: next((line for line in log if "Listening at: " in line), ""))
        yield Dashboard(json.loads(said)["event"].split("Listening at: ")[1].split()[0], log)


@contextmanager
def running(command: list[str]) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Run a program of ours; the process, and the lines that it logs."""
    log: list[str] = []
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        reader = threading.Thread(target=log.extend, args=(process.stderr,))
        reader.start()
        try:
            yield process, log
        finally:
            process.terminate()
            reader.join()


class Proof:
    """A person at two dashboards that share a PostgreSQL cluster and a Redis server."""

    def __init__(
        self,
        standin: StandIn,
        cluster: postgres.Cluster,
        redis: redis_server.Server,
        dashboards: list[Dashboard],
    ) -> None:
        self.standin, self.cluster, self.redis = standin, cluster, redis
        self.dashboards = dashboards
        self.worker_log: list[str] = []
        cookie = _sign_in(standin)
        [self.session] = cookie.values()
        self.browser, *self.others = (
            _browser(one.address, cookie) for one in (dashboards[0], *dashboards)
        )

    def crowd(self, number: int = AT_ONCE) -> dict[str, int]:
        """Lists asked for at once at both dashboards: how many answers of each status."""
        with ThreadPoolExecutor(number) as pool:
            asked = [pool.submit(self.others[n % 2].get, "/contacts/") for n in range(number)]
            return dict(Counter(str(each.result().status_code) for each in asked))

    def form(self, name: str) -> dict[str, Any]:
        """The fields of a new contact, asked for until a busy dashboard has a connection."""
        end = time.monotonic() + PATIENCE
        page = self.browser.get("/contacts/new/")
        while page.status_code == 503 and time.monotonic() < end:
            time.sleep(0.5)
            page = self.browser.get("/contacts/new/")
        return fields(page, cstname=name)  # type: ignore[arg-type]

    def save(self, form: dict[str, Any]) -> httpx.Response:
        return self.browser.post("/contacts/new/", data=form)

    def found_unsure(self) -> bool:
        """Whether the page of what is Not sure finds it, once the call can no longer last."""
        from django.db import close_old_connections
        from django.db.models.functions import Now

        from dashboard.writes.models import Write

        close_old_connections()
        Write.objects.filter(state=Write.State.SENDING).update(
            reserved_until=Now() - timedelta(seconds=1)
        )
        pages = re.findall("/unsure/[0-9]+/", self.browser.get("/unsure/").text)
        return bool(pages) and f"{pages[0]}found/" in self.browser.get(pages[0]).text

    def most_connections(self) -> dict[str, Any]:
        """A crowd of twice the threads, and the most connections that PostgreSQL had meanwhile."""
        import psycopg

        self.standin.latency = LATENCY
        most, over = 0, threading.Event()
        with (
            psycopg.connect(self.cluster.url, autocommit=True) as asks,
            ThreadPoolExecutor() as pool,
        ):
            crowd = pool.submit(self.crowd, 2 * AT_ONCE)
            crowd.add_done_callback(lambda _: over.set())
            while not over.wait(0.02):
                row = asks.execute("SELECT count(*) FROM pg_stat_activity").fetchone()
                most = max(most, row[0] if row else 0)
        self.standin.latency = 0
        return {"answers": crowd.result(), "most": most}

    def readiness(self) -> dict[str, Any]:
        """What /readyz says while it asks for workers, too, and after how many seconds."""
        begun = time.monotonic()
        address = f"{self.dashboards[0].address}/readyz?workers=1"
        said = httpx.get(address, timeout=60, trust_env=False).json()
        return {**said, "seconds": time.monotonic() - begun}

    def restarted(self) -> dict[str, int]:
        """A crowd right after the cluster was started again."""
        self.crowd()
        self.cluster.stop()
        self.cluster.start()
        return self.crowd(48)

    def database_away(self) -> dict[str, Any]:
        """A page, a form and a crowd without the database, and the form once it is back."""
        form = self.form("zebra away")
        self.cluster.stop()
        page, saved = self.browser.get("/contacts/"), self.save(form)
        crowd, readiness = self.crowd(), self.readiness()
        later = self.browser.get("/contacts/")
        self.cluster.start()
        self.form("as soon as the pool has noticed")
        again = {name: unescape(value) for name, value in _hidden(saved.text)}
        told = self.save(again)
        return {
            "page": [page.status_code, page.headers.get("Retry-After")],
            "seconds": [each.elapsed.total_seconds() for each in (page, later)],
            "form": [saved.status_code, "Not saved" in saved.text, "zebra away" in saved.text],
            "crowd": crowd,
            "readiness": readiness,
            "again": told.status_code,
            "creates": len(self._creates("zebra away")),
        }

    def stopped_during_a_write(self) -> dict[str, Any]:
        """A create that the service carries out while the database is stopped."""
        form = self.form("zebra slow")
        self.standin.fault(f"slow:{WRITING}", operation="create", times=1)
        with ThreadPoolExecutor() as pool:
            post = pool.submit(self.save, form)
            wait_until(lambda: self.standin.application.faults.rules[0].struck)
            self.cluster.stop()
            told = post.result()
        self.cluster.start()
        wait_until(lambda: set(self.crowd(16)) == {"200"})  # every process has a connection again
        unfinished, record = (self.browser.get(url) for url in ("/unfinished/", _opened(told.text)))
        listed = unfinished.text.partition("<main")[2].partition("</main")[0]
        return {
            "told": [told.status_code, "Contact zebra slow was created." in told.text],
            "found": self.found_unsure(),
            "unfinished": "Edit" in listed and "zebra slow" in listed,
            "opens": "zebra" in record.text and record.status_code == 200,
            "creates": len(self._creates("zebra slow")),
        }

    def redis_away(self) -> dict[str, Any]:
        """Pages, for as many people as have a connection each, and a save without Redis."""
        self.redis.stop()
        answers = {
            "crowd": self.crowd(32),
            "saved": self.save(self.form("zebra uncached")).status_code,
            "readiness": self.readiness(),
            "sign-in": self.sign_in().status_code,
        }
        self.redis.start()
        return answers

    def hanging(self) -> dict[str, Any]:
        """What /readyz says while both servers accept connections and answer nothing."""
        found = {}
        for name, server in (("cache", self.redis), ("database", self.cluster)):
            with server.hanging():
                found[name] = self.readiness()
        return found

    def service_away(self) -> dict[str, Any]:
        """A list, a record's form and a save while the service refuses connections, and the save
        once it is back: pressed each second, as each process pauses until it has found that out.
        """
        form = self.form("zebra unserved")
        self.standin.refuse()
        page, saved = self.browser.get("/contacts/"), self.save(form)
        opened = self.browser.get("/contacts/1/edit/")
        crowd = self.crowd(32)
        readiness = self.readiness()
        self.standin.accept()
        pressed = [saved]

        def is_saved() -> bool:
            pressed.append(self.save(fields(pressed[-1])))  # type: ignore[arg-type]
            return pressed[-1].status_code == 302

        wait_until(is_saved, pause=1)
        return {
            "statuses": [page.status_code, opened.status_code],
            "words": [bool(re.search(AWAY, each.text)) for each in (page, opened)],
            "form": [saved.status_code, "zebra unserved" in saved.text],
            "crowd": crowd,
            "readiness": readiness,
            "creates": len(self._creates("zebra unserved")),
        }

    def worker_away(self) -> dict[str, Any]:
        """A mail while no worker runs, what a worker says that finds no mail server, and what one
        says whose database is stopped.
        """
        self.browser.cookies.clear()
        asked = self.browser.get("/accounts/password/reset/")
        posted = self.browser.post(
            "/accounts/password/reset/",
            data=fields(asked, email=ADDRESS),  # type: ignore[arg-type]
        )
        before = self.readiness()
        command = [sys.executable, "manage.py", "db_worker", "--interval", "0.2"]
        with running(command) as (process, log):
            wait_until(lambda: any("a mail was not sent" in line for line in log))
            alive = self.readiness()
            self.cluster.stop()
            wait_until(lambda: any("the worker ends" in line for line in log))
            self.cluster.start()
            ended = process.wait(PATIENCE)
        wait_until(lambda: self.readiness()["database"])
        left = self.readiness()
        self.worker_log = log
        return {
            "posted": posted.status_code,
            "workers": [before["workers"], alive["workers"], left["workers"]],
            "ended": ended,
            "mail": [line for line in log if "a mail was not sent" in line],
            "ends": [line for line in log if "the worker ends" in line],
        }

    def sign_in(self) -> httpx.Response:
        """Send the form of signing in, with a wrong password."""
        with httpx.Client(base_url=self.dashboards[0].address, timeout=60, trust_env=False) as one:
            page = one.get("/accounts/login/")
            form = fields(page, login=ADDRESS, password=PASSWORD)  # type: ignore[arg-type]
            return one.post("/accounts/login/", data=form)

    def lines(self) -> list[str]:
        return [*self.worker_log, *(line for one in self.dashboards for line in one.log)]

    def told(self) -> list[str]:
        """What stands in the log, and must not."""
        access, secret = self.standin.keys["acme"][0]
        written = "".join(self.lines())
        never = (access, secret, self.session, ADDRESS, PASSWORD, "zebra")
        return [each for each in never if each in written]

    def both_restarted_under_load(self) -> dict[str, int]:
        """Crowds while both are stopped and started: the statuses other than 200 and 503."""
        with ThreadPoolExecutor() as pool:
            crowds = [pool.submit(self.crowd, 64) for _ in range(3)]
            self.redis.stop()
            self.cluster.stop()
            crowds.append(pool.submit(self.crowd, 64))
            self.cluster.start()
            self.redis.start()
        found = sum((Counter(each.result()) for each in crowds), Counter())
        return {status: n for status, n in found.items() if status not in ("200", "503")}

    def _creates(self, name: str) -> list[Any]:
        asked = self.standin.ledger(operation="create")
        return [one for one in asked if one["body"].get("cstname") == name]


def _browser(address: str, cookie: dict[str, str]) -> httpx.Client:
    """A client with a connection for each request, as many as are asked at once."""
    limits = httpx.Limits(max_keepalive_connections=0)
    options: dict[str, Any] = {"timeout": 60, "trust_env": False, "limits": limits}
    return httpx.Client(base_url=address, cookies=cookie, **options)


def _hidden(page: str) -> list[tuple[str, str]]:
    return re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', page)


def _opened(page: str) -> str:
    """The address behind "Open"."""
    return page.partition('">Open</a>')[0].rpartition('href="')[2]


def _sign_in(standin: StandIn) -> dict[str, str]:
    """The session cookie of a new manager with keys."""
    from django.conf import settings
    from django.test import Client

    from dashboard.people import permissions
    from dashboard.people.models import User
    from tests.workspaces import connect

    user = User.objects.create(username="ann", email="ann@a.test")
    permissions.set_role(user, permissions.MANAGER)
    connect(
        user, access=standin.keys["acme"][0][0], secret=standin.keys["acme"][0][1], workspace="Acme"
    )
    client = Client()
    client.force_login(user)
    return {settings.SESSION_COOKIE_NAME: client.cookies[settings.SESSION_COOKIE_NAME].value}


def is_object(line: str) -> bool:
    """Whether a line of the log is an object of JSON with its time, level and event."""
    try:
        found = json.loads(line)
    except ValueError:
        return False
    return isinstance(found, dict) and {"timestamp", "level", "event"} <= set(found)


def main() -> None:
    with ExitStack() as stack:
        standin = stack.enter_context(StandIn(profile="verbose", size="small", seed=1))
        cluster = stack.enter_context(postgres.stoppable())
        redis = stack.enter_context(redis_server.stoppable())
        os.environ |= {"API_BASE_URL": standin.url, "DATABASE_URL": cluster.url}
        os.environ |= {"EMAIL_URL": "smtp://127.0.0.1:9"}
        os.environ |= {"CACHE_URL": redis.url, "DJANGO_SETTINGS_MODULE": "tests.outages.settings"}
        import django

        from tests.databases import make_tables

        django.setup()
        make_tables()
        dashboards = [stack.enter_context(dashboard()) for _ in range(2)]
        proof = Proof(standin, cluster, redis, dashboards)
        parts = (
            proof.most_connections,
            proof.restarted,
            proof.database_away,
            proof.stopped_during_a_write,
            proof.redis_away,
            proof.hanging,
            proof.service_away,
            proof.both_restarted_under_load,
            proof.worker_away,
        )
        found = {}
        for part in parts:
            begun = time.monotonic()
            found[part.__name__] = part()
            print(part.__name__, round(time.monotonic() - begun, 1), file=sys.stderr)
        lines = proof.lines()
        if asked := os.environ.get("KEEP_LOG"):
            Path(asked).write_text("".join(lines), encoding="utf-8")
        found["not json"] = [line for line in lines if not is_object(line)]
        found["told"] = proof.told()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
