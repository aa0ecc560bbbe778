"""The gateway imports no Django, imports httpx in two modules only, and works in a script."""

import ast
import subprocess
import sys
from pathlib import Path

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


def test_only_client_and_transport_import_third_party_modules() -> None:
    doors = {"client.py": {"httpx"}, "transport.py": {"httpx", "httpcore"}}
    outside = {path.name: imports(path) - sys.stdlib_module_names for path in FILES}
    assert {name: found for name, found in outside.items() if found - doors.get(name, set())} == {}


SCRIPT = """
from dashboard.gateway import CONTACTS, Gateway, Keys, Service
gateway = Gateway(Service("{url}"), Keys(access="{access}", secret="s3cret"))
for contact in gateway.list(CONTACTS, search="acme").records:
    print(contact.id, contact["cstname"])
import sys; assert "django" not in sys.modules
"""


def test_a_script_of_five_lines_lists_contacts_without_django() -> None:
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


def test_all_exported_names_exist() -> None:
    assert all(hasattr(dashboard.gateway, name) for name in dashboard.gateway.__all__)
    assert len(ENDPOINTS) == 6
