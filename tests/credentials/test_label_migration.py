"""Labels that people typed beside their keys become workspaces, in every table."""

import json
import os
import subprocess
import sys
from pathlib import Path

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
        "views": everybody,
        "lists": [["Acme", "Tax of acme"], ["Globex", "Tax of globex"], ["left", "Tax of left"]],
        "versions": ["Acme", "Globex", "left"],
        "offices": [["Acme", "ann"], ["Globex", "cora"]],  # that of the first spelling stays
        "terms": ["Acme", "Globex"],
        "drafts": [""],
    }
