"""Every command of ours: words for its arguments, and one sentence where it cannot do its work."""

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator

import pytest
from django import get_version
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.core.management.base import CommandParser
from django.db import connection

from dashboard import __version__
from dashboard.administration.management.commands import demo
from dashboard.core import logs
from dashboard.core.environment import Environment
from dashboard.standin.command import main

COMMANDS = sorted(
    name for name, app in get_commands().items() if str(app) == "dashboard.administration"
)
ON_TABLES = {
    "check_api": ["--keys-of", "max"],
    "invite": [
        "--file",
        f"{settings.BASE_DIR}/tests/administration/addresses.txt",
        "--role",
        "Viewer",
    ],
    "add_member": ["max", "Acme"],
    "load_lists": ["Acme", "--standin", "alder"],
    "rotate_keys": [],
    "tidy": ["--daily"],
    "createsuperuser": ["--noinput", "--username", "root", "--email", "root@example.test"],
}
"""The commands that need tables, with arguments."""
WITHOUT_TABLES = {
    "backup": "asks whether the address is right, as there is nothing to copy",
    "db_worker": "logs why it ends (tests/core/test_task_log.py)",
    "demo": "makes its own",
    "restore": "makes them",
}


@pytest.fixture
def run(tmp_path) -> Iterator[object]:
    """run(argument, ...): manage.py on an SQLite file without tables."""
    environment = {
        "PATH": os.environ["PATH"],
        "SECRET_KEY": "x" * 60,
        "FIELD_ENCRYPTION_KEYS": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
        "API_BASE_URL": "http://127.0.0.1:9",
        "SITE_URL": "http://localhost",
        "DJANGO_SUPERUSER_PASSWORD": "correct horse battery",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'empty.sqlite3'}",
    }

    def started(*arguments: str, **others: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, settings.BASE_DIR / "manage.py", *arguments],
            cwd=tmp_path, env={**environment, **others}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    return started


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_has_words(name, monkeypatch):
    without = []
    add = CommandParser.add_argument

    def added(parser, *names, **given):
        if not given.get("help"):
            without.append(names)
        return add(parser, *names, **given)

    monkeypatch.setattr(CommandParser, "add_argument", added)
    command = load_command_class(get_commands()[name], name)
    command.create_parser("manage.py", name)
    assert without == []
    assert command.help


def test_every_command_of_ours_is_tried_without_tables():
    assert set(COMMANDS) == (set(ON_TABLES) | set(WITHOUT_TABLES)) - {"createsuperuser"}


@pytest.mark.parametrize("port", ["65536", "-1", "http"])
def test_a_port_that_is_none_is_told_beside_its_argument(port):
    parser = load_command_class("dashboard.administration", "demo").create_parser("manage.py", "")
    with pytest.raises(CommandError, match="argument --port: a port is a number from 0 to 65535"):
        parser.parse_args([f"--port={port}"])


def test_the_stand_in_says_which_file_it_cannot_open(tmp_path, capsys):
    data = str(tmp_path / "no" / "x.sqlite3")
    assert main(["--port=0", "--admin-port=0", f"--data={data}"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.endswith("x.sqlite3: unable to open database file")


def test_lists_that_are_no_json_are_told_in_one_sentence(tmp_path):
    file = tmp_path / "lists.json"
    file.write_text("taxes: 20")
    with pytest.raises(CommandError, match=r"lists\.json is not valid JSON: .* See --help\."):
        call_command("load_lists", "Acme", file=str(file))


@pytest.mark.parametrize("dsn", ["nonsense", "http://[", "https://host/1"])
def test_a_wrong_address_of_sentry_is_told_in_one_sentence(dsn):
    pytest.importorskip("sentry_sdk")
    with pytest.raises(ImproperlyConfigured, match="SENTRY_DSN must be an address like"):
        logs.init_sentry(dsn)


@pytest.mark.parametrize("url", ["mysql", "sqlite", "postgres"])
def test_a_database_of_a_kind_alone_is_told_in_one_sentence(url, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", url)
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL must be an address like"):
        Environment().db("DATABASE_URL")


@pytest.mark.slow
@pytest.mark.parametrize("name", ON_TABLES)
def test_a_database_without_tables_is_told_in_one_line_with_what_to_do(name, run):
    done = run(name, *ON_TABLES[name])
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "manage.py migrate" in line


@pytest.mark.slow
@pytest.mark.parametrize("argument", ["--version", "version"])
def test_the_release_is_told_without_settings(argument, run):
    done = run(argument, SECRET_KEY="")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Entry Desk {__version__}, Django {get_version()}\n"


@pytest.mark.slow
def test_a_database_that_is_not_reached_is_told_in_one_line_without_its_password(run):
    pytest.importorskip("psycopg")
    done = run("tidy", "--daily", DATABASE_URL="postgres://desk:pass-word@127.0.0.1:9/desk")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith("The database failed: connection failed")
    assert "refused" in line
    assert "pass-word" not in line


OF_DJANGO = ("check", "collectstatic", "createsuperuser", "migrate")
"""Commands of Django that docs/ and install.sh name."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [*COMMANDS, *OF_DJANGO])
def test_every_command_tells_a_wrong_setting_in_one_line(name, run):
    done = run(name, SESSION_IDLE_MINUTES="soon")
    assert done.returncode == 1
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.endswith("SESSION_IDLE_MINUTES must be a whole number of at least 1.")


FILES = {
    "restore": ["nowhere.backup", "--replace"],
    "load_lists": ["Acme", "--file", "nowhere.json"],
    "invite": ["--file", "nowhere.txt", "--role", "Viewer"],
}
"""The commands that read a file, with one that is missing."""


def test_every_command_with_a_file_is_tried_with_a_missing_one():
    assert {name for name in COMMANDS if takes_a_file(name)} == {*FILES, "backup"}  # writes one


def takes_a_file(name: str) -> bool:
    parser = load_command_class("dashboard.administration", name).create_parser("manage.py", name)
    return bool(re.search(r"^ +(--)?(file|data)\b", parser.format_help(), re.MULTILINE))


MANAGE = str(settings.BASE_DIR / "manage.py")


def test_another_python_is_told_in_two_lines(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 12))
    with pytest.raises(SystemExit) as end:
        runpy.run_path(MANAGE)
    lines = str(end.value).splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("Entry Desk needs Python 3.11 or later")


def test_missing_packages_are_told_in_two_lines(monkeypatch):
    monkeypatch.setitem(sys.modules, "django", None)
    with pytest.raises(SystemExit) as end:
        runpy.run_path(MANAGE)
    lines = str(end.value).splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("Packages of Entry Desk are not installed")


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_told_in_one_line(name, run):
    done = run(name, *FILES[name])
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "nowhere" in line


@pytest.mark.slow
def test_a_mail_server_that_is_not_reached_is_told_in_one_line(run):
    done = run("sendtestemail", "ann@example.test", EMAIL_URL="smtp://127.0.0.1:9")
    assert done.returncode == 1
    assert done.stderr == "sendtestemail: Connection refused.\n"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change", ["ALTER TABLE people_mail DROP COLUMN error", "DELETE FROM django_migrations"]
)
def test_the_demo_says_what_to_do_with_a_database_of_another_release(change):
    demo._make_tables()
    with connection.cursor() as cursor:
        cursor.execute(change)
    with pytest.raises(CommandError, match=r"belongs to another release\. Delete var/demo/$"):
        demo._make_tables()
