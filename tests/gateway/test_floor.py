"""The gateway stands on its own floor: no Django in it, one door to httpx, usable from a script."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import dashboard.gateway
from dashboard.gateway import ENDPOINTS

from .conftest import KEYS
from .servers import RawServer, says

ROOM = Path(dashboard.gateway.__file__).parent
FILES = sorted(ROOM.glob("*.py"))


def imports(path: Path) -> set[str]:
    """What a file imports from outside its own room, by first name."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level < 2, f"{path.name} imports from above its room"
            found |= set() if node.level else {str(node.module).split(".")[0]}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_imports_the_standard_library_and_its_one_door(path: Path) -> None:
    doors = {"client.py": {"httpx"}, "transport.py": {"httpx", "httpcore"}}
    outside = {name for name in imports(path) if name not in sys.stdlib_module_names}
    assert outside <= doors.get(path.name, set())


SCRIPT = """
from dashboard.gateway import CONTACTS, Gateway, Keys, Service
gateway = Gateway(Service("{url}"), Keys(access="{access}", secret="s3cret"))
for contact in gateway.list(CONTACTS, search="acme").records:
    print(contact.id, contact["cstname"])
import sys; assert "django" not in sys.modules
"""


def test_five_lines_of_a_script_are_enough() -> None:
    rows = [{"cstid": 1, "cstname": "Acme"}]
    with RawServer(says(200, {"success": True, "data": {"data": rows}})) as server:
        script = SCRIPT.format(url=server.url, access=KEYS.last4)
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOM.parent.parent,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert (done.stdout, done.stderr) == ("1 Acme\n", "")


def test_what_is_exported_is_what_exists() -> None:
    assert all(hasattr(dashboard.gateway, name) for name in dashboard.gateway.__all__)
    assert len(ENDPOINTS) == 6
