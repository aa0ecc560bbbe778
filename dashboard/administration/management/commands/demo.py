"""`manage.py demo`: starts the dashboard, its worker and a stand-in of the API with sample data."""

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

from django.apps import apps
from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command
from django.db import DatabaseError, connection
from django.db.migrations.exceptions import InconsistentMigrationHistory
from django.db.models import Model

from dashboard.administration.demo import DEMO_DIR, LOOPBACK, free_port, is_free
from dashboard.office import choices as preferences
from dashboard.office import editing
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.office.list_import import load_reference_lists
from dashboard.people.keys import connect
from dashboard.people.members import create_workspace
from dashboard.people.models import User, Workspace
from dashboard.people.permissions import ADMINISTRATOR, EDITOR, MANAGER, VIEWER, set_role
from dashboard.standin.command import port as a_port
from dashboard.standin.keys import Keyring
from dashboard.standin.reference_data import reference_data

SEED = 1
PLAUSIBLE, HOSTILE = "alder", "acme"  # workspaces of the stand-in
USERS = {  # user name: (full name, role, name of their key pair in the stand-in)
    "vera": ("Vera Novak", VIEWER, "office"),
    "edith": ("Edith Okafor", EDITOR, "sales"),
    "max": ("Max Lindqvist", MANAGER, "manager"),
    "ada": ("Ada Castellanos", ADMINISTRATOR, "admin"),
}
START_TIMEOUT = 20  # seconds


class Command(BaseCommand):
    help = "Start Entry Desk with a stand-in for the API, sample data and a user for each role."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=a_port, default=8000, help="port of the dashboard")
        parser.add_argument("--reset", action="store_true", help="delete the demo data first")
        odd = "use long and unusual names, dates and values"
        parser.add_argument("--hostile", action="store_true", help=odd)

    def handle(self, *, port: int, reset: bool, hostile: bool, **options: Any) -> None:
        if not is_free(port):
            raise CommandError(f"Port {port} is in use. Choose another: manage.py demo --port 8080")
        if reset:
            _delete_data()
        _make_tables()
        call_command("collectstatic", verbosity=0, interactive=False)
        call_command("tidy", daily=True, stdout=StringIO())
        workspace = HOSTILE if hostile else PLAUSIBLE
        _create_users()
        _connect_users(workspace)
        _fill_reference_lists(workspace)
        signal.signal(signal.SIGTERM, _raise_interrupt)
        home = f"http://{LOOPBACK}:{port}/"
        os.environ["SITE_URL"] = home
        with (
            _running(_standin_command(), settings.API_BASE_URL) as standin,
            _running(_dashboard_command(port), home) as dashboard,
            _running(_worker_command()) as worker,
        ):
            self.stdout.write(_greeting(home))
            self.stdout.flush()  # into a pipe or a log file, too
            _wait_for_exit({"stand-in": standin, "dashboard": dashboard, "worker": worker})


@contextmanager
def _running(command: list[str], url: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """Run a process until the block ends. It has started once `url` answers."""
    # A new session: the terminal sends Ctrl+C only to this process, which stops the other.
    process = subprocess.Popen(command, start_new_session=True)  # noqa: S603
    try:
        deadline = time.monotonic() + START_TIMEOUT
        while url and not _answers(url):
            if process.poll() is not None or time.monotonic() > deadline:
                raise CommandError(f"{' '.join(command[1:4])} did not start.")
            time.sleep(0.05)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=2).close()  # noqa: S310  # nosec B310 # a loopback address
    except urllib.error.HTTPError:
        return True  # an error status shows that the server runs
    except OSError:
        return False
    return True


def _standin_command() -> list[str]:
    options = {
        "--port": urlsplit(settings.API_BASE_URL).port,
        "--admin-port": free_port(),
        "--data": DEMO_DIR / "standin.sqlite3",
        "--seed": SEED,
        "--size": "demo",
    }
    words = [str(word) for option in options.items() for word in option]
    return [sys.executable, "-m", "dashboard.standin", "--unpublished", *words]


def _dashboard_command(port: int) -> list[str]:
    config = ["-c", "python:dashboard.core.gunicorn", "--bind", f"{LOOPBACK}:{port}"]
    return [sys.executable, "-m", "gunicorn", *config, "--log-level", "warning", "dashboard.wsgi"]


def _worker_command() -> list[str]:
    """Run twice a second: the worker sends a deletion when its countdown ends."""
    manage = str(Path(sys.argv[0]).resolve())
    return [sys.executable, manage, "db_worker", "--interval", "0.5", "--verbosity", "0"]


def _delete_data() -> None:
    """Delete the files of the demo except its secrets, which this process has read already."""
    for path in DEMO_DIR.iterdir() if DEMO_DIR.exists() else ():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.suffix != ".env":
            path.unlink()


def _make_tables() -> None:
    """Migrate. Raises CommandError if the database has the tables of another release."""
    try:
        call_command("migrate", verbosity=0)
        is_ours = all(map(_has_its_columns, apps.get_models()))
    except (DatabaseError, InconsistentMigrationHistory):
        is_ours = False
    if not is_ours:
        folder = _displayed(DEMO_DIR)
        raise CommandError(f"The database in {folder} belongs to another release. Delete {folder}")


def _has_its_columns(model: type[Model]) -> bool:
    with connection.cursor() as cursor:
        found = connection.introspection.get_table_description(cursor, model._meta.db_table)
    declared = {each.column for each in model._meta.local_concrete_fields}
    return {column.name for column in found} == declared


def _create_users() -> None:
    for username, (full_name, role, _) in USERS.items():
        if User.objects.filter(username=username).exists():
            continue
        first, last = full_name.split()
        email = f"{username}@entry-desk.example"
        password = os.environ["DEMO_PASSWORD"]
        user = User.objects.create_user(username, email, password, first_name=first, last_name=last)
        set_role(user, role)


def _connect_users(name: str) -> None:
    """Connect the users whose keys are not of this workspace, and store who they are in it."""
    workspace = _workspace(name)
    pairs = {pair.name: pair for pair in Keyring(SEED).pairs.values() if pair.workspace == name}
    own_ids = {row["name"]: row["id"] for row in reference_data(name)["users"]}
    for username, (full_name, _, pair_name) in USERS.items():
        user = User.objects.get(username=username)
        if user.workspace_id == workspace.pk:
            continue
        pair = pairs[pair_name]
        connect(user, access=pair.access, secret=pair.secret, workspace=workspace)
        preferences.remember_own_id(user, workspace.pk, str(own_ids.get(full_name, "")))


def _workspace(name: str) -> Workspace:
    return Workspace.objects.filter(name=name.capitalize()).first() or create_workspace(
        name.capitalize()
    )


def _fill_reference_lists(name: str) -> None:
    """Fill the lists if they are empty, so that later changes are not overwritten."""
    workspace = _workspace(name).pk
    if not catalogue.names(workspace, Kind.USER):
        data = reference_data(name)
        load_reference_lists(workspace, data)
        currency = str(data["currencies"][0]["id"])
        Workspace.objects.filter(pk=workspace).update(currency=currency)
        if name == PLAUSIBLE:  # lists of the API do not say it
            editing.set_only_currency(workspace, currency)


def _greeting(home: str) -> str:
    width = max(map(len, USERS))
    users = "\n".join(f"    {name:{width}}  {who[1]}" for name, who in USERS.items())
    return (
        f"\nEntry Desk is ready at {home}\n"
        f"  Sign in as one of these, with the password {os.environ['DEMO_PASSWORD']}\n{users}\n"
        f"  Data is stored in {_displayed(DEMO_DIR)}. To start over: manage.py demo --reset\n"
        f"  Emails are stored in {_displayed(DEMO_DIR / 'mail')}. Their links are printed here.\n"
        "  Ctrl+C stops everything.\n"
    )


def _displayed(path: Path) -> str:
    here = Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}/"


def _raise_interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _wait_for_exit(processes: dict[str, subprocess.Popen[bytes]]) -> None:
    """Return on Ctrl+C. Raises CommandError with the first process that ends."""
    try:
        while True:
            for name, process in processes.items():
                if process.poll() is not None:
                    raise CommandError(f"The {name} {_end_of(process)}.")
            time.sleep(0.2)
    except KeyboardInterrupt:
        return


def _end_of(process: subprocess.Popen[bytes]) -> str:
    if process.returncode < 0:
        return f"was killed by {signal.Signals(-process.returncode).name}"
    return f"ended with status {process.returncode}. Its output is above"
