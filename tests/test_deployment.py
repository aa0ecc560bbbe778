"""Every command for a deployment in docs/ works in a fresh clone of the repository."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from dashboard.administration.demo import free_port
from tests.copies import section
from tests.waits import accepts, wait_until

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parent.parent
PLACES = (
    ("docs/install-by-hand.md", "Commands"),
    ("docs/operating.md", "Backup"),
    ("docs/operating.md", "Restore drill"),
    ("docs/upgrade.md", "By hand"),
)


def commands_of(text: str) -> list[str]:
    """The lines of a page that are to be typed, without the words after #."""
    blocks = re.findall(r"^ *```sh\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    lines = [re.sub(r" +# .*", "", line).strip() for block in blocks for line in block.splitlines()]
    return list(dict.fromkeys(line for line in lines if line))


COMMANDS = list(dict.fromkeys(line for place in PLACES for line in commands_of(section(*place))))
NOT_CLONED = (".git", ".venv", ".env", "var", "node_modules", "__pycache__", ".*_cache")
ADMINISTRATOR = {
    "DJANGO_SUPERUSER_USERNAME": "root",
    "DJANGO_SUPERUSER_EMAIL": "root@example.com",
    "DJANGO_SUPERUSER_PASSWORD": "correct horse battery",
}


@pytest.fixture(scope="module")
def clone(tmp_path_factory) -> Path:
    """A clone with the packages of this process in its .venv."""
    folder = tmp_path_factory.mktemp("clone") / "entry-desk"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*NOT_CLONED))
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


def start(clone: Path, command: str) -> subprocess.Popen[str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return subprocess.Popen(
        ["bash", "-c", command],
        cwd=clone,
        env={**kept, **ADMINISTRATOR},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run(clone: Path, command: str) -> str:
    process = start(clone, command)
    printed, _ = process.communicate(timeout=300)
    assert process.returncode == 0, f"{command}\n{printed}"
    return printed


def fill_in_settings(clone: Path) -> None:
    """Fill in the first three settings as the file says, and switch https off for the test."""
    path = clone / ".env"
    text = path.read_text(encoding="utf-8")
    said = {
        "SECRET_KEY": r"^# Signs.*?(python3 -c .*)$",
        "FIELD_ENCRYPTION_KEYS": r"^# (python3 -c .*)$",
    }
    values = {
        name: run(clone, re.search(pattern, text, re.MULTILINE)[1]).strip()
        for name, pattern in said.items()
    }
    for name, value in {**values, "API_BASE_URL": "http://127.0.0.1:9"}.items():
        text = text.replace(f"\n{name}=\n", f"\n{name}={value}\n")
    path.write_text(f"{text}\nSITE_URL=http://127.0.0.1\n", encoding="utf-8")


@contextmanager
def served(clone: Path, command: str) -> Iterator[int]:
    """Run the server's command on a free port; yields how many processes it serves with."""
    port = free_port()
    process = start(clone, "exec " + command.replace(":8000", f":{port}"))
    try:
        wait_until(lambda: accepts(port) or process.poll() is not None)
        assert process.poll() is None, process.communicate()[0]
        assert "Sign in" in httpx.get(f"http://127.0.0.1:{port}/accounts/login/", timeout=60).text
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        yield len(children.split())
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_every_command_works_in_a_fresh_clone(clone):
    install, copy, *rest = COMMANDS
    assert install.split(" && ")[0] == "python3 -m venv --without-pip .venv"
    rest.remove(install.split(" && ")[1])  # as the packages are those of this process
    run(clone, copy)
    fill_in_settings(clone)
    for command in rest:
        if "gunicorn" in command:
            with served(clone, command) as processes:
                assert processes == 1  # as the cache of .env.example is of a process
        elif "createsuperuser" in command:
            run(clone, f"{command} --noinput")
        else:
            run(clone, command)
    for copied in ("desk-monday.backup", "before-upgrade.backup"):
        assert (clone / copied).stat().st_size > 0
