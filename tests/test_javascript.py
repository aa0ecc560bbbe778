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

from dashboard.core.templates import import_map

ROOT = Path(__file__).resolve().parent.parent
MODULES = ROOT / "static" / "js"
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
        [node, "--import", JS_TESTS / "page_for_node.js", "--test", *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"^\S+ pass [1-9]", result.stdout, re.MULTILINE), result.stdout


def test_every_function_that_is_exported_is_used_by_a_module_or_tested():
    tested = "".join(path.read_text(encoding="utf-8") for path in JS_TESTS.glob("*.test.js"))
    sources = "".join(path.read_text(encoding="utf-8") for path in MODULES.rglob("*.js"))
    imported = set(re.findall(r"\w+", "".join(re.findall(r"^import {([^}]*)}", sources, re.M))))
    exported = set(re.findall(r"^export (?:async )?function (\w+)", sources, re.M))
    assert exported & imported
    when_needed = {"checkSession", "openByKey", "openPage"}  # imported by a call
    alone = exported - imported - when_needed
    assert not {name for name in alone if f"{name}(" not in tested and f"({name})" not in tested}


def test_modules_import_each_other_by_the_names_of_the_import_map():
    """Collected files have a hash in their names."""
    imported = re.compile(r"""(?:\bfrom|\bimport\(?) ?["']([^"']*)""")
    texts = [path.read_text(encoding="utf-8") for path in MODULES.rglob("*.js")]
    names = {name for text in texts for name in imported.findall(text)}
    assert names <= set(json.loads(import_map())["imports"])


def test_the_lock_file_of_the_linter_has_hashes_and_no_addresses():
    text = (JS_TESTS / "package-lock.json").read_text(encoding="utf-8")
    packages = json.loads(text)["packages"]
    assert not re.search(r"https?:|file:|\bresolved\b", text)
    assert all(entry["integrity"].startswith("sha512-") for name, entry in packages.items() if name)
