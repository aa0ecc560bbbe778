"""The locks of the packages, and the audit of .ci/audit.py."""

import json
import re
from collections.abc import Iterator
from socket import socket

import pytest

from tests.gateway.servers import RawServer, answer
from tests.processes import ROOT, python

pytestmark = pytest.mark.slow

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


@pytest.fixture
def vulnerable(monkeypatch) -> Iterator[set[str]]:
    """The packages whose versions all have a vulnerability, as a database like OSV answers."""
    names: set[str] = set()

    def handle(connection: socket, request: bytes) -> None:
        query = json.loads(request.partition(b"\r\n\r\n")[2])
        name, version = query["package"]["name"], query["version"]
        is_known = (name, version) == ("jinja2", "3.1.2") or name in names
        found = {"vulns": [{"id": f"CVE-of-{name}", "affected": []}]} if is_known else {}
        connection.sendall(answer(body=found))

    with RawServer(handle) as server:
        monkeypatch.setenv("PIP_AUDIT_OSV_URL", f"{server.url}/")
        yield names


def test_every_locked_package_is_looked_up_and_a_vulnerable_one_fails_the_audit(vulnerable):
    vulnerable.add("redis")
    done = python(AUDIT, "osv")
    asked, of = map(int, re.search(r"Audited (\d+) of (\d+)", done.stdout).groups())
    assert asked == of > 60
    assert re.search(r"vulnerable: redis \S+: CVE-of-redis", done.stdout)
    assert done.returncode == 1


def test_no_answer_is_told_and_does_not_count_as_an_audit(monkeypatch):
    monkeypatch.setenv("PIP_AUDIT_OSV_URL", "http://127.0.0.1:9/")
    done = python(AUDIT, "osv")
    assert done.returncode == NOT_AUDITED
    assert done.stdout.startswith("NOT AUDITED")
