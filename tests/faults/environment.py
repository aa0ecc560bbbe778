"""What a proof works with: a stand-in, a database, a dashboard, users, and the log."""

import atexit
import logging
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.db import connections
from django.test import Client, override_settings
from environ import Env

from dashboard.gateway import Gateway, GatewayError, Keys
from dashboard.people import keys as services
from dashboard.people import permissions
from dashboard.people.models import User as Account
from dashboard.standin import StandIn
from dashboard.standin.faults.data import SOMEBODY
from dashboard.standin.keys import PAIRS
from dashboard.standin.resources import RESOURCES
from tests.databases import make_tables
from tests.helpers import end_looks
from tests.workspaces import connect

from .browser import Browser
from .cases import ARGUMENTS, LATE, UNPUBLISHED
from .samples import Sample

PATIENT, HASTY = 5.0, 0.15  # seconds for one call; the second one where a fault makes it wait
WRITES = {"create", "update", "delete"}
PASSWORD = "correct horse battery"
IN_PROCESS = "http://127.0.0.1"


class LogLines(logging.Handler):
    """Keeps every log line, and apart from the others the exceptions of requests."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[str] = []
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append(self.format(record))
        if record.name == "django.request" and record.exc_info:
            self.errors.append(self.kept[-1])


@dataclass(eq=False)
class User:
    """A manager with a key pair of a workspace; `pair` is the pair's id."""

    account: Account
    workspace: str
    pair: str
    keys: tuple[str, str]
    browser: Browser


@dataclass
class Environment:
    standin: StandIn
    lines: LogLines
    users: list[User] = field(default_factory=list)
    first: int = 0
    application: Any = field(default_factory=WSGIHandler)

    def user(self, name: str, workspace: str = "acme", number: int = 0) -> User:
        """A new user, signed in."""
        account = Account.objects.create_user(name, f"{name}@example.test", PASSWORD)
        permissions.set_role(account, permissions.MANAGER)
        keys = self.standin.keys[workspace][number]
        connect(account, access=keys[0], secret=keys[1], workspace=workspace)
        pair = f"{workspace}/{PAIRS[workspace][number]}"
        self.users.append(User(account, workspace, pair, keys, self.browser(account)))
        return self.users[-1]

    def browser(self, account: Account) -> Browser:
        """A browser in which the account is signed in."""
        client = Client()
        client.force_login(account)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        return Browser(session, IN_PROCESS, self.application)

    def create(self, user: User, sample: Sample, mark: str) -> int:
        """The id of a new record, created without the dashboard."""
        gateway = Gateway(services.service(), Keys(access=user.keys[0], secret=user.keys[1]))
        try:
            created = gateway.create(sample.resource.endpoint, sample.record(mark))
        except GatewayError as error:  # a mistake in the sample
            raise RuntimeError(f"{error}: {getattr(error, 'fields', '')}") from error
        assert created.id
        return created.id

    def fresh(self) -> None:
        """No fault, nothing logged, no page seen; the ledger counts from here."""
        self.settle()
        self.forget()

    def forget(self) -> None:
        """Nothing logged, no page seen; the ledger counts from here."""
        services.service().breaker.reset()
        self.lines.kept.clear()
        self.lines.errors.clear()
        for user in self.users:
            user.browser.seen.clear()
        entries = self.standin.application.ledger.entries
        self.first = entries[-1].number if entries else 0

    def be_patient(self, kind: str) -> None:
        """Wait less for an answer where a fault of this kind keeps it back."""
        services.service().timeout = HASTY if kind in ARGUMENTS else PATIENT

    def settle(self, kind: str = "") -> None:
        """End all faults, also what one of this kind does late."""
        self.standin.clear_faults()
        time.sleep(float(ARGUMENTS[kind]) + 0.1 if kind in LATE else 0)
        services.service().timeout = PATIENT
        services.service().breaker.reset()

    def end_looks(self) -> None:
        """Let every write of unknown outcome be old enough to be sent again."""
        end_looks()

    def ledger(self, **filters: Any) -> list[dict[str, Any]]:
        """What the dashboard asked the service since `fresh`."""
        entries = self.standin.ledger(self.first, **filters)
        return [entry for entry in entries if entry["pair"] != SOMEBODY]

    def writes(self) -> list[dict[str, Any]]:
        """The calls since `fresh` that write, in their order."""
        return [entry for entry in self.ledger() if entry["operation"] in WRITES]

    def stored(self, resource: str, number: int) -> dict[str, Any]:
        """A record as the service stores it; empty if it is gone."""
        return (self.standin.store.get(RESOURCES[resource], number) or ("", {}))[1]

    def shown(self, resource: str, number: int) -> dict[str, Any]:
        """A record as the service answers it: no client can know more than that."""
        rules = RESOURCES[resource]
        stored = self.standin.store.get(rules, number)
        if stored is None:
            return {}
        detail = self.standin.application.profile.detail(rules, *stored)["data"]
        return dict(detail.get(rules.singular, detail))

    def change(self, resource: str, number: int, values: dict[str, Any]) -> None:
        """Change a record as somebody without the dashboard would."""
        record = {**self.stored(resource, number), **values}
        record.pop(RESOURCES[resource].id_field, None)
        with self.standin.store.transaction():
            self.standin.store.replace(RESOURCES[resource], number, record)

    def count(self, resource: str, condition: str, value: str) -> int:
        """How many records fit (at most ten)."""
        return len(self.standin.store.page(RESOURCES[resource], [(condition, value)], "id", 10, 0))

    def secrets(self) -> list[str]:
        """What no page and no log line may show."""
        return [key for user in self.users for key in user.keys]


@contextmanager
def database(url: str) -> Iterator[None]:
    """Make the database at this address the default one, also for new threads. A killed process
    loses nothing that the system has still to write, so that SQLite need not wait for the disk; a
    copy of a process lacks the threads of a pool of connections.
    """
    original, known = connections["default"], connections.settings["default"]
    options: dict[str, Any] = {"connect_timeout": 3}
    if url.startswith("sqlite"):
        pragmas = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
        options = {"transaction_mode": "IMMEDIATE", "timeout": 5, "init_command": pragmas}
    del connections["default"]
    connections.settings["default"] = {**known, **Env().db_url_config(url), "OPTIONS": options}
    try:
        yield
    finally:
        connections["default"].close()
        connections.settings["default"], connections["default"] = known, original


@cache
def empty() -> Path:
    """A database without rows to copy, made once in each process."""
    path = Path(tempfile.mkdtemp()) / "empty.sqlite3"
    with database(f"sqlite:///{path}"):
        make_tables()
    atexit.register(shutil.rmtree, path.parent)
    return path


@contextmanager
def environment(
    folder: Path, profile: str = "verbose", seed: int = 1, url: str = ""
) -> Iterator[Environment]:
    """An environment with the empty database at `url`, else with an SQLite file of its own; the
    dashboard answers in this process.
    """
    lines, root = LogLines(), logging.getLogger()
    handlers, path = list(root.handlers), folder / "dashboard.sqlite3"
    if not url:
        shutil.copy(empty(), path)
    with (
        database(url or f"sqlite:///{path}"),
        StandIn(profile=profile, size="small", seed=seed, unpublished=True) as standin,
        override_settings(
            API_BASE_URL=standin.url, API_TIMEOUT=PATIENT, API_UNPUBLISHED=UNPUBLISHED
        ),
    ):
        if url:
            make_tables()
        root.handlers = [lines]
        try:
            yield Environment(standin, lines)
        finally:
            root.handlers = handlers
