"""The dashboard and the stand-in in one process: people, their browsers, what they left behind."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import connection
from django.test import Client, override_settings
from django.test.utils import setup_test_environment, teardown_test_environment

from dashboard.accounts import roles
from dashboard.accounts.models import User
from dashboard.credentials import services
from dashboard.gateway import Gateway, Keys, protocol
from dashboard.standin import StandIn
from dashboard.standin.faults.data import SOMEBODY

from .cases import UNPUBLISHED

PATIENT, HASTY = 5.0, 0.15  # seconds for a call: a busy machine is no fault, a hang is


class Lines(logging.Handler):
    """Keeps every log line, with its traceback."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[str] = []
        self.errors: list[str] = []
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        line = self.format(record)
        self.kept.append(line)
        if record.name == "django.request" and record.exc_info:
            self.errors.append(line)


@dataclass
class Person:
    """Somebody at the desk, and the keys and workspace that they work with."""

    user: User
    client: Client
    workspace: str
    keys: tuple[str, str]


@dataclass
class House:
    """Everything that a case needs; `lines` holds what was logged since `fresh`."""

    standin: StandIn
    lines: Lines
    people: dict[str, Person] = field(default_factory=dict)
    last: int = 0

    def enter(self, name: str, workspace: str = "acme", number: int = 0) -> Person:
        """A manager with a key pair of `workspace`, signed in."""
        user = User.objects.create_user(name, f"{name}@example.test", "correct horse battery")
        roles.set_role(user, roles.MANAGER)
        access, secret = self.standin.keys[workspace][number]
        services.connect(user, access=access, secret=secret, workspace=workspace)
        client = Client(raise_request_exception=False)
        client.force_login(user)
        self.people[name] = Person(user, client, workspace, (access, secret))
        return self.people[name]

    def gateway(self, person: Person) -> Gateway:
        """Straight to the stand-in as that person, past the dashboard."""
        access, secret = person.keys
        return Gateway(services.service(), Keys(access=access, secret=secret))

    def fresh(self) -> None:
        """No fault, a closed breaker, nothing logged; from here on `ledger` counts."""
        self.standin.clear_faults()
        services.service().breaker.succeeded()
        services.service().timeout = PATIENT
        self.lines.kept.clear()
        self.lines.errors.clear()
        entries = self.standin.application.ledger.entries
        self.last = entries[-1].number if entries else 0

    def ledger(self, **wanted: Any) -> list[dict[str, Any]]:
        """What the dashboard asked of the service since `fresh`."""
        found = self.standin.ledger(self.last, **wanted)
        return [entry for entry in found if entry["pair"] != SOMEBODY]

    def secrets(self) -> list[str]:
        """What no page and no log line may show."""
        return [key for person in self.people.values() for key in person.keys]


@contextmanager
def database(path: Path | None = None) -> Iterator[None]:
    """A migrated database: in memory, or in a file where threads and processes share it."""
    setup_test_environment(debug=False)
    if path:
        connection.settings_dict["TEST"]["NAME"] = str(path)
    connection.creation.create_test_db(verbosity=0, serialize=False)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(":memory:", verbosity=0)
        teardown_test_environment()


@contextmanager
def opened(profile: str = "verbose", seed: int = 1) -> Iterator[House]:
    """The house, with a stand-in of its own and settings to match."""
    lines, root = Lines(), logging.getLogger()
    quiet, pause = list(root.handlers), protocol.FIRST_PAUSE
    with (
        StandIn(profile=profile, size="small", seed=seed, unpublished=True) as standin,
        override_settings(
            API_BASE_URL=standin.url, API_TIMEOUT=PATIENT, API_UNPUBLISHED=UNPUBLISHED
        ),
    ):
        root.handlers, protocol.FIRST_PAUSE = [lines], 0.01
        try:
            yield House(standin, lines)
        finally:
            root.handlers, protocol.FIRST_PAUSE = quiet, pause


def wait_for(done: Any, seconds: float = 2.0) -> None:
    """Until `done()` is true, at most so long."""
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        time.sleep(0.01)
