"""The database that a release has filled works after the migrations of this one."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.processes import python
from tests.releases import FOLDER

pytestmark = pytest.mark.slow
PROGRAM = """
import django, json
django.setup()
from tests.releases.database import migrated
print(json.dumps(migrated()))
"""


@pytest.mark.parametrize("dump", sorted(FOLDER.glob("*.sql")), ids=lambda path: path.stem)
def test_the_database_of_a_release_is_migrated(dump: Path, tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite3"
    with closing(sqlite3.connect(path)) as made:
        made.executescript(dump.read_text(encoding="utf-8"))
    named = {"DJANGO_SETTINGS_MODULE": "tests.settings", "TEST_DATABASE_URL": f"sqlite:///{path}"}
    done = python("-c", PROGRAM, **named)
    anew = "If no release has these tables, make them anew: python -m tests.releases"
    assert done.returncode == 0, f"{done.stderr}\n{anew}"
    found = json.loads(done.stdout.splitlines()[-1])
    assert found.pop("other tables") == [], anew
    assert found == {
        "person": ["vera", "Editor", True],
        "keys": {"access": "access0123", "secret": "hidden0123"},
        "workspaces": ["Acme"],
        "lists": ["Vera Novak"],
        "view": {"name": "Zebras", "params": "search=zebra"},
        "draft": {"cstname": "Zebra"},
        "write": "Zebra Ltd",
        "job": "Change 3 contacts",
        "history": "Zebra Ltd",
    }
