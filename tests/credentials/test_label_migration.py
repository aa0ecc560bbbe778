"""Labels that people typed beside their keys become workspaces, in every table, and what was kept
for all of them becomes that of each.
"""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps

from dashboard.credentials import workspace_matching
from dashboard.credentials.models import KnownContact
from tests.workspaces import of_name

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


def test_labels_become_workspaces_with_members_and_take_everything_along(own_database: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.credentials.label_migration"],
        env=os.environ
        | {"TEST_DATABASE_URL": own_database, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        timeout=120,
        check=True,
    )
    everybody = [["Acme", "ann"], ["Acme", "ben"], ["Globex", "cora"]]
    assert json.loads(ran.stdout) == {
        "long": True,  # the ids are random
        "names": ["Acme", "Globex", "left"],
        "pairs": everybody,
        "members": everybody,
        "checked": 0,  # so the next request of each compares the keys
        "history": everybody,
        "accounts": [["Acme", "by ann"], ["Globex", "of cora"]],
        "switches": [[name, {"leads.get": True}] for name in ("Acme", "Globex", "left")],
        "views": everybody,
        "lists": [["Acme", "Tax of acme"], ["Globex", "Tax of globex"], ["left", "Tax of left"]],
        "versions": ["Acme", "Globex", "left"],
        "offices": [["Acme", "ann"], ["Globex", "cora"], ["left", ""]],  # of the first spelling
        "terms": ["Acme", "Globex"],
        "choices": [
            ["Acme", {"user.own_id": "ann"}],
            ["Acme", {"user.own_id": "ben"}],
            ["Globex", {"user.own_id": "cora"}],
        ],
        "drafts": [""],
    }


@pytest.mark.django_db
def test_known_contacts_with_a_bare_day_are_forgotten():
    times = {1: datetime(2026, 1, 3, tzinfo=UTC), 2: datetime(2026, 1, 3, 9, 30, tzinfo=UTC)}
    workspace_matching.remember(
        of_name("Acme"), [workspace_matching.ContactMark(*mark) for mark in times.items()]
    )
    step = import_module("dashboard.credentials.migrations.0009_copy_switches")
    step.forget_days(apps, None)
    assert list(KnownContact.objects.values_list("record_id", flat=True)) == [2]
