"""The locks of the packages, and the audit of .ci/audit.py."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
AUDIT = ROOT / ".ci/audit.py"
NOT_AUDITED = 3


def lock(name: str) -> dict[str, str]:
    """The pins of a lock and their hashes: name -> the rest of the entry."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", "")
    return dict(line.split("==", 1) for line in text.splitlines() if line)


def test_the_optional_packages_are_locked_with_hashes():
    pins = lock("requirements-all.txt")
    for name in ("psycopg", "psycopg-binary", "psycopg-pool", "redis", "sentry-sdk"):
        assert "--hash=sha256:" in pins[name], name


def test_the_lock_of_development_holds_the_pins_of_the_others():
    """What CI installs and compares with hashes is what a deployment installs."""
    development = lock("requirements-dev.txt")
    for name in ("requirements.txt", "requirements-all.txt"):
        for package, entry in lock(name).items():
            pinned = {re.split(r"[ ;]", each)[0] for each in (entry, development[package])}
            assert len(pinned) == 1, (name, package)
            assert set(re.findall(r"sha256:\w+", entry)) <= set(
                re.findall(r"sha256:\w+", development[package])
            ), (name, package)


class Database(BaseHTTPRequestHandler):
    """Answers as OSV does: `vulnerable` are the names of packages, at any version."""

    vulnerable: frozenset[str] = frozenset()

    def do_POST(self) -> None:
        query = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        name, version = query["package"]["name"], query["version"]
        known = (name, version) == ("jinja2", "3.1.2") or name in self.vulnerable
        found = {"vulns": [{"id": f"CVE-of-{name}", "affected": []}]} if known else {}
        body = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def database(monkeypatch) -> Iterator[type[Database]]:
    handler = type("Faked", (Database,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("PIP_AUDIT_OSV_URL", f"http://127.0.0.1:{server.server_port}/")
        yield handler
        server.shutdown()


def audit() -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(AUDIT), "osv"]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)


def test_every_locked_package_is_looked_up_and_a_vulnerable_one_fails_the_audit(database):
    database.vulnerable = frozenset({"redis"})
    done = audit()
    asked, of = map(int, re.search(r"Audited (\d+) of (\d+)", done.stdout).groups())
    assert asked == of > 60
    assert re.search(r"vulnerable: redis \S+: CVE-of-redis", done.stdout)
    assert done.returncode == 1


def test_no_answer_is_told_and_does_not_count_as_an_audit(monkeypatch):
    monkeypatch.setenv("PIP_AUDIT_OSV_URL", "http://127.0.0.1:9/")
    done = audit()
    assert done.returncode == NOT_AUDITED
    assert done.stdout.startswith("NOT AUDITED")
