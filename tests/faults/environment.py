"""What a proof works with: a stand-in, a database, a dashboard, users, and the log."""

import atexit
import logging
import shutil
import tempfile
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

from dashboard.people import keys as services
from dashboard.people import permissions
from dashboard.people.models import User as Account
from dashboard.standin import StandIn
from dashboard.standin.faults.data import SOMEBODY
from dashboard.standin.keys import PAIRS
from dashboard.standin.resources import RESOURCES
from tests.databases import make_tables
from tests.workspaces import connect

from .browser import Browser
from .kinds import UNPUBLISHED

PATIENCE = 5.0  # seconds for one call
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
        client = Client()
        client.force_login(account)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        browser = Browser(session, IN_PROCESS, self.application)
        self.users.append(User(account, workspace, pair, keys, browser))
        return self.users[-1]

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

    def settle(self) -> None:
        self.standin.clear_faults()
        services.service().breaker.reset()

    def ledger(self, **filters: Any) -> list[dict[str, Any]]:
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


@contextmanager
def database(path: Path) -> Iterator[None]:
    """Make this SQLite file the default database, also for new threads. It need not wait for the
    disk.
    """
    original, known = connections["default"], connections.settings["default"]
    pragmas = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
    options = {"transaction_mode": "IMMEDIATE", "timeout": 5, "init_command": pragmas}
    url = Env().db_url_config(f"sqlite:///{path}")
    del connections["default"]
    connections.settings["default"] = {**known, **url, "OPTIONS": options}
    try:
        yield
    finally:
        connections["default"].close()
        connections.settings["default"], connections["default"] = known, original


@cache
def empty() -> Path:
    """A database without rows to copy, made once in each process."""
    path = Path(tempfile.mkdtemp()) / "empty.sqlite3"
    with database(path):
        make_tables()
    atexit.register(shutil.rmtree, path.parent)
    return path


@contextmanager
def environment(folder: Path, profile: str = "verbose", seed: int = 1) -> Iterator[Environment]:
    """An environment with a database of its own; the dashboard answers in this process."""
    lines, root = LogLines(), logging.getLogger()
    handlers, path = list(root.handlers), folder / "dashboard.sqlite3"
    shutil.copy(empty(), path)
    with (
        database(path),
        StandIn(profile=profile, size="small", seed=seed, unpublished=True) as standin,
        override_settings(
            API_BASE_URL=standin.url, API_TIMEOUT=PATIENCE, API_UNPUBLISHED=UNPUBLISHED
        ),
    ):
        root.handlers = [lines]
        try:
            yield Environment(standin, lines)
        finally:
            root.handlers = handlers
