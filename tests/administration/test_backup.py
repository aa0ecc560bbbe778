"""A drill: back up while the site runs, lose data, restore, and what the restored site knows."""

import json
import os
import stat
import subprocess
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.utils import timezone

from dashboard.administration import backups
from dashboard.administration.models import Backup
from dashboard.people.models import KeyPair
from tests import postgres
from tests.processes import python

pytestmark = pytest.mark.slow

SETUP = """
import django
django.setup()
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone
from dashboard.people.models import User
from dashboard.writes import history
from dashboard.writes.models import Event
from dashboard.jobs.models import Job
from dashboard.administration.pruning import plan
from dashboard.writes.models import Write
from tests.databases import make_tables

make_tables()
vera = User.objects.create_user("vera", "vera@example.test", "a long password")
session = SessionStore()
session["note"] = "canary"
session.create()
print(session.session_key)
common = dict(person=vera, owner="x", resource="contacts")
Write.objects.create(token="under way", operation="create", state="sending",
                     sent_at=timezone.now(), **common)
Write.objects.create(token="used", operation="create", state="saved", **common)
Job.objects.create(kind="bulk", title="Change", state="running", **common)
Job.objects.create(kind="bulk", title="Done", state="finished", **common)
deletion = dict(operation="delete", not_before=timezone.now(), record_id=3, **common)
Write.objects.create(token="soon", state="waiting", **deletion)
Write.objects.create(token="just read", state="sending", **deletion)
plan(timezone.now())
entry = Event(who="vera", owner="x", workspace="", resource="contacts", operation="export")
history.add(entry, label="Zebra Ltd", changes={"Name": ("", "Zebra Ltd")})
"""
LOSS = """
import django
django.setup()
from django.db import connection
from dashboard.people.models import User
User.objects.all().delete()
User.objects.create_user("max", "max@example.test", "a long password")
# A later release may have a table that the copy lacks, and that refers to one which it has.
with connection.cursor() as cursor:
    cursor.execute("CREATE TABLE desk_later (person bigint REFERENCES people_user (id))")
    if connection.vendor == "postgresql":
        cursor.execute("CREATE SEQUENCE desk_numbers; CREATE TYPE desk_tone AS ENUM ('a', 'b')")
        cursor.execute("CREATE TYPE desk_pair AS (a int, b int)")
        body = "LANGUAGE sql AS 'SELECT a + b'"
        cursor.execute(f"CREATE FUNCTION desk_sum(a int, b int) RETURNS int {body}")
"""
LEFT = """
import django
django.setup()
from django.db import connection
with connection.cursor() as cursor:
    if connection.vendor == "postgresql":
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relname LIKE 'desk%' UNION SELECT typname FROM "
            "pg_type WHERE typname LIKE 'desk%' UNION SELECT proname FROM pg_proc WHERE proname "
            "LIKE 'desk%'"
        )
        print(*(name for (name,) in cursor))
"""
LINK = """
import django
django.setup()
from django.contrib.auth.tokens import default_token_generator as tokens
from dashboard.people.models import User
print(*(f"{each.username} {tokens.make_token(each)}" for each in User.objects.order_by("pk")))
"""
FOLLOW = """
import sys, django
django.setup()
from django.contrib.auth.tokens import default_token_generator as tokens
from dashboard.people.models import User
name, token = sys.argv[1:]
print(tokens.check_token(User.objects.get(username=name), token))
"""
LOOK = """
import django, json
django.setup()
from django.contrib.sessions.models import Session
from django.db import connection
from django_tasks_db.models import DBTaskResult
from dashboard.people.models import User
from dashboard.writes import history
from dashboard.writes.models import Event
from dashboard.jobs.models import Job
from dashboard.writes.models import Write
print(json.dumps({
    "people": list(User.objects.values_list("username", flat=True)),
    "signed in": User.objects.get().check_password("a long password"),
    "sessions": Session.objects.count(),
    "writes": dict(Write.objects.values_list("token", "state")),
    "jobs": dict(Job.objects.values_list("title", "state")),
    "tasks": DBTaskResult.objects.count(),
    "history": history.details(Event.objects.get()).label,
    "later": "desk_later" in connection.introspection.table_names(),
}))
"""


@pytest.fixture
def run(own_database):
    """run(*arguments): Python with our settings on that database; returns what it printed."""
    tools = os.pathsep.join(filter(None, [str(postgres.programs() or ""), os.environ["PATH"]]))
    named = {"DJANGO_SETTINGS_MODULE": "tests.settings", "TEST_DATABASE_URL": own_database}

    def ran(*arguments, fails=False):
        done = python(*map(str, arguments), **named, PATH=tools)
        assert bool(done.returncode) is fails, done.stderr
        return done.stderr if fails else done.stdout

    return ran


def test_a_drill(run, tmp_path):
    copy = tmp_path / "copy"
    assert "DATABASE_URL" in run("manage.py", "backup", copy, fails=True)
    assert not copy.exists()
    session_key = run("-c", SETUP).strip()
    link = run("-c", LINK).split()
    assert run("-c", FOLLOW, *link) == "True\n"
    assert "bytes" in run("manage.py", "backup", copy)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    content = readable(copy)
    assert b"vera@example.test" in content
    assert b"Zebra" not in content
    assert session_key.encode() not in content
    what_is_no_copy_is_refused(run, tmp_path)
    nightly = tmp_path / "nightly"
    nightly.mkdir()
    assert "bytes" in run("manage.py", "backup", "--keep", 1, nightly)
    [copy] = nightly.iterdir()
    run("-c", LOSS)
    assert "--replace" in run("manage.py", "restore", copy, fails=True)
    printed = run("manage.py", "restore", copy, "--replace")
    assert "writes not sure: 1" in printed
    assert "passkeys, authenticator apps, roles and API keys are those of the backup" in printed
    assert "accounts with expired password links: 1" in printed
    assert run("-c", FOLLOW, *link) == "False\n"
    assert run("-c", LEFT).split() == []
    found = json.loads(run("-c", LOOK))
    assert found == {
        "people": ["vera"],
        "signed in": True,
        "sessions": 0,
        "writes": {
            "under way": "not sure",
            "used": "saved",
            "soon": "waiting",
            "just read": "waiting",
        },
        "jobs": {"Change": "paused", "Done": "finished"},
        "tasks": 0,
        "history": "Zebra Ltd",
        "later": False,
    }


def what_is_no_copy_is_refused(run, tmp_path):
    wrong = tmp_path / "wrong"
    wrong.write_bytes(b"no database" * 1000)
    missing = run("manage.py", "restore", tmp_path / "missing", "--replace", fails=True)
    assert "does not exist" in missing
    said = run("manage.py", "restore", wrong, "--replace", fails=True)
    assert "CommandError" in said
    assert "Nothing was changed. The file must be a backup made with `manage.py backup`" in said
    assert "exists" in run("manage.py", "backup", wrong, fails=True)
    assert json.loads(run("-c", LOOK))["people"] == ["vera"]  # nothing is changed


def readable(copy):
    """The content of a copy; that of PostgreSQL is compressed."""
    if not copy.read_bytes().startswith(b"PGDMP"):
        return copy.read_bytes()
    program = f"{postgres.programs()}/pg_restore"
    return subprocess.run([program, "-f", "-", copy], capture_output=True, check=True).stdout


def test_a_backup_that_fails_leaves_no_file(db, tmp_path, monkeypatch):
    def fail(path):
        raise backups.BackupFailed("pg_dump: no space left")

    monkeypatch.setattr(backups, "_copy", fail)
    with pytest.raises(CommandError, match="no space left"):
        call_command("backup", str(tmp_path / "copy"))
    assert not (tmp_path / "copy").exists()


@pytest.fixture
def copies(tmp_path):
    """A folder with one copy a night for twenty nights."""
    for day in range(1, 21):
        (tmp_path / f"entry-desk-202601{day:02}-021500.backup").touch()
    return tmp_path


def test_twenty_nights_without_the_database_cost_no_copy(db, copies, monkeypatch):
    def fail(path):
        path.write_bytes(b"half a copy")
        raise OperationalError("the connection is closed")

    monkeypatch.setattr(backups, "_copy", fail)
    names = {path.name for path in copies.iterdir()}
    for night in range(20):
        moved = datetime(2026, 1, 21, tzinfo=UTC) + timedelta(days=night)
        with time_machine.travel(moved), pytest.raises(OperationalError):
            call_command("backup", str(copies), "--keep", "14")
    assert {path.name for path in copies.iterdir()} == names
    assert not Backup.objects.exists()


def test_a_copy_that_cannot_be_read_back_costs_no_copy(db, copies, monkeypatch):
    monkeypatch.setattr(backups, "_copy", lambda path: path.write_bytes(b"no database"))
    names = {path.name for path in copies.iterdir()}
    with pytest.raises(CommandError):
        call_command("backup", str(copies), "--keep", "14")
    assert {path.name for path in copies.iterdir()} == names


def test_the_newest_copies_are_kept_whatever_their_age(db, copies, monkeypatch):
    monkeypatch.setattr(backups, "_copy", lambda path: None)
    monkeypatch.setattr(backups, "_check", lambda path: None)
    now = timezone.now()
    for name, days in (
        ("before-1.0.0.backup", 31),
        ("before-1.0.1.backup", 29),
        ("before-1.0.2.backup.part", 31),
        ("mine", 400),
    ):
        (copies / name).touch()
        os.utime(copies / name, ((now - timedelta(days=days)).timestamp(),) * 2)
    (copies / "entry-desk-20260101-021500.backup.part").touch()
    call_command("backup", str(copies), "--keep", "14")
    names = sorted(path.name for path in copies.iterdir())
    assert names[:2] == ["before-1.0.1.backup", "entry-desk-20260108-021500.backup"]
    assert names[-1] == "mine"
    assert len(names) == 16
    assert Backup.objects.get().made_at >= now


def test_a_copy_of_another_key_is_told(with_keys, viewer, tmp_path, monkeypatch):
    with_keys(viewer)
    KeyPair.objects.update(keys="of another key")
    monkeypatch.setattr(backups, "restore", lambda path: {})
    with pytest.raises(CommandError, match="Restored, but the API keys of vera can't be decrypted"):
        call_command("restore", "copy", replace=True)


def test_a_few_of_many_people_are_named(db, monkeypatch):
    people = [f"person{number}" for number in range(77)]
    monkeypatch.setattr("dashboard.administration.management.commands.restore.owners_of_unreadable_pairs",
                        lambda: people)  # fmt: skip
    monkeypatch.setattr(backups, "restore", lambda path: {})
    with pytest.raises(CommandError, match=r"of person0, .* person4 and 72 more can't"):
        call_command("restore", "copy", replace=True)
