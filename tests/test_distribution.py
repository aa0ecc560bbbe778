"""The options of pytest-xdist in pyproject.toml keep the tests of a file in one worker."""

import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
FILE = """
import time
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def environment():
    with Path("started").open("a") as file:
        file.write("once ")


@pytest.mark.parametrize("number", range(8))
def test_one(environment, number):
    time.sleep(0.1)
"""


def test_what_the_tests_of_a_file_share_is_started_once(tmp_path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    options = project["tool"]["pytest"]["ini_options"]["addopts"]
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    (tmp_path / "test_file.py").write_text(FILE)
    command = [sys.executable, "-m", "pytest", "-p", "no:django", "-p", "no:playwright"]
    command += shlex.split(options)
    subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    assert (tmp_path / "started").read_text() == "once "
