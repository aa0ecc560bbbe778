#!/usr/bin/env python3
"""Django's command line for this project."""

import os
import sys
from contextlib import suppress
from pathlib import Path

from dashboard import __version__

if sys.version_info < (3, 11):  # noqa: UP036 - an older one gets this far
    sys.exit(
        f"Entry Desk needs Python 3.11 or later; {sys.executable} is {sys.version.split()[0]}.\n"
        "Make .venv with a later one: python3.11 -m venv .venv"
    )
NO_PACKAGES = (
    f"Packages of Entry Desk are not installed for {sys.executable}.\n"
    "Start with .venv/bin/python manage.py, or first: pip install -r requirements.txt"
)
try:
    from django import get_version
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import Error
except ModuleNotFoundError:
    sys.exit(NO_PACKAGES)

WITH_POOL = ("db_worker", "demo", "runserver")  # commands that serve for long
NO_TABLES = ("42P01", "42703")  # PostgreSQL: no such table, no such column


def main() -> None:
    """Run the command named on the command line; tell what goes wrong in a sentence."""
    if sys.argv[1:] in (["--version"], ["version"]):
        print(f"Entry Desk {__version__}, Django {get_version()}")
        return
    try:
        set_environment()
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:  # says what is to be set; fifty lines of trace do not
        sys.exit(f"This cannot start. {error}")
    except Error as error:
        sys.exit(f"The database failed: {in_words(error)}.")
    except ModuleNotFoundError as error:
        if str(error.name).startswith("dashboard"):
            raise
        sys.exit(NO_PACKAGES)
    except OSError as error:  # a file, the mail server
        if "--traceback" in sys.argv:
            raise
        sys.exit(f"{error.filename or sys.argv[1]}: {error.strerror or error}.")


def set_environment() -> None:
    with suppress(OSError):  # SQLite makes its file but no folder, and a fresh clone has none
        (Path(__file__).resolve().parent / "var").mkdir(exist_ok=True)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    if sys.argv[1:2] == ["demo"]:  # the one command that brings its own environment
        from dashboard.administration import demo

        demo.set_environment()
    elif sys.argv[1:2] and sys.argv[1] not in WITH_POOL:
        os.environ["COMMAND_WITHOUT_POOL"] = "yes"


def in_words(error: Error) -> str:
    """What the database said, in one line, and what to do where its tables are not ours."""
    words = " ".join(str(error).split()).rstrip(".")
    code = getattr(error.__cause__, "sqlstate", "")
    if code in NO_TABLES or words.startswith(("no such table", "no such column")):
        return f"{words}. The tables of this release are not there: run manage.py migrate"
    return words


if __name__ == "__main__":
    main()
