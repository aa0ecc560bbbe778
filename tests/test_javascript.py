"""The scripts in static/: their pure parts under Node, and what every page may load.

Node comes with requirements-dev.txt. Where it is missing, its tests are skipped, unless
REQUIRE_NODE=1.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STATIC = ROOT / "static"
JS_TESTS = ROOT / "tests" / "js"


@pytest.fixture
def node() -> str:
    """The path of Node: beside this Python, or wherever PATH finds it."""
    found = shutil.which("node", path=Path(sys.executable).parent) or shutil.which("node")
    if found is None:
        required = os.environ.get("REQUIRE_NODE") == "1"
        (pytest.fail if required else pytest.skip)("Node is not installed")
    return found


def test_the_pure_functions_pass_their_tests_under_node(node):
    files = sorted(JS_TESTS.glob("*.test.js"))
    result = subprocess.run(
        [node, "--test", *files], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"^\S+ pass [1-9]", result.stdout, re.MULTILINE), result.stdout


def test_every_function_that_a_script_exports_is_tested():
    tested = "".join(path.read_text(encoding="utf-8") for path in JS_TESTS.glob("*.test.js"))
    exported = {
        name
        for path in STATIC.glob("*.js")
        for name in re.findall(r"^export function (\w+)", path.read_text(encoding="utf-8"), re.M)
    }
    assert exported
    assert not {name for name in exported if f"{name}(" not in tested and f"({name})" not in tested}


def test_no_script_names_another_script():
    """Collected files have a hash in their names, which only templates know."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob("*.js")}
    names = re.compile(r"""(\bfrom|\bimport\(?)\s*["']""")
    assert not [name for name, text in texts.items() if names.search(text)]


def test_the_lock_file_of_the_linter_has_hashes_and_no_addresses():
    text = (JS_TESTS / "package-lock.json").read_text(encoding="utf-8")
    packages = json.loads(text)["packages"]
    assert not re.search(r"https?:|file:|\bresolved\b", text)
    assert all(entry["integrity"].startswith("sha512-") for name, entry in packages.items() if name)
