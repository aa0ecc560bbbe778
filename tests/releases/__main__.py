"""Writes the database of this release with something in it: python -m tests.releases."""

import os
import sqlite3
import tempfile
from contextlib import closing

import django

from dashboard import __version__
from tests.releases import FOLDER


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/db.sqlite3"
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
        os.environ["TEST_DATABASE_URL"] = f"sqlite:///{path}"
        django.setup()
        from tests.releases import database  # which has the models

        database.make()
        with closing(sqlite3.connect(path)) as made:
            lines = "\n".join(made.iterdump())
    (FOLDER / f"{__version__}.sql").write_text(f"{lines}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
