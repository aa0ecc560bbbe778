#!/usr/bin/env python3
"""Django's command line for this project."""

import os
import sys
from contextlib import suppress
from pathlib import Path

from django import get_version
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import Error

from dashboard import __version__

WITH_POOL = ("db_worker", "demo", "runserver")  # commands that serve for long
NO_TABLES = ("42P01", "42703")  # PostgreSQL: no such table, no such column


def main() -> None:
    """Run the command named on the command line."""
    if sys.argv[1:] in (["--version"], ["version"]):
        print(f"Entry Desk {__version__}, Django {get_version()}")
        return
    with suppress(OSError):  # SQLite makes its file but no folder, and a fresh clone has none
        (Path(__file__).resolve().parent / "var").mkdir(exist_ok=True)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    if sys.argv[1:2] == ["demo"]:  # the one command that brings its own environment
        from dashboard.administration import demo

        demo.set_environment()
    elif sys.argv[1:2] and sys.argv[1] not in WITH_POOL:
        os.environ["COMMAND_WITHOUT_POOL"] = "yes"
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:  # says what is to be set; fifty lines of trace do not
        sys.exit(f"This cannot start. {error}")
    except Error as error:
        sys.exit(f"The database failed: {in_words(error)}.")
    except OSError as error:  # a file, the mail server
        if "--traceback" in sys.argv:
            raise
        sys.exit(f"{error.filename or sys.argv[1]}: {error.strerror or error}.")


def in_words(error: Error) -> str:
    """What the database said, in one line, and what to do where its tables are not ours."""
    words = " ".join(str(error).split()).rstrip(".")
    code = getattr(error.__cause__, "sqlstate", "")
    if code in NO_TABLES or words.startswith(("no such table", "no such column")):
        return f"{words}. The tables of this release are not there: run manage.py migrate"
    return words


if __name__ == "__main__":
    main()
