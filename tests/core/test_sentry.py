"""What a report to Sentry holds, and what it does not."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

pytestmark = pytest.mark.slow

pytest.importorskip("sentry_sdk")

ROOT = Path(__file__).parents[2]
# A page fails that was asked for with a search, a cookie, a header and a form.
PROGRAM = """
import logging
import sentry_sdk
from django.test import RequestFactory
from dashboard.wsgi import application
from dashboard.site import views

def fail(*args):
    secret = "canary-variable"
    log = logging.getLogger("dashboard")
    log.error("canary-format %s", "canary-parameter", extra={"x": "canary-extra"})
    try:
        raise ValueError("canary-cause")
    except ValueError as error:
        raise RuntimeError("canary-text") from error

views.url_has_allowed_host_and_scheme = fail
headers = {
    "Host": "localhost",
    "Cookie": "theme=canary-cookie",
    "Referer": "http://localhost/?search=canary-referer",
    "X-Secret": "canary-header",
}
form = "application/x-www-form-urlencoded"
reset = "/accounts/password/reset/1-canary-key/"
for address in ("/theme/?search=canary-search", "/canary-path/", reset):
    asked = RequestFactory().generic("GET", address, "theme=canary-typed", form, headers=headers)
    application(asked.environ, lambda *answer: None)
try:
    {}["canary-missing"]
except KeyError:
    sentry_sdk.set_extra("typed", "canary-extra")
    sentry_sdk.capture_exception()
sentry_sdk.flush(5)
"""


@pytest.fixture
def reports() -> Iterator[tuple[str, list[str]]]:
    """The DSN of a server, and the reports that it received."""
    received: list[str] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append(gzip.decompress(body).decode())
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Collector) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://key@127.0.0.1:{server.server_port}/1", received
        server.shutdown()


def run(dsn: str) -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", "SENTRY_DSN": dsn}
    subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment, check=True)


def test_a_report_names_the_fault_and_nothing_that_people_typed(reports):
    dsn, received = reports
    run(dsn)
    assert "canary" not in "".join(received)
    events = [json.loads(each.splitlines()[2]) for each in received if '"type":"event"' in each]
    stacks = {types(event): event for event in events}
    fault = stacks["ValueError", "RuntimeError"]
    assert fault["transaction"] == "dashboard.site.views.set_theme"
    assert fault["request"]["method"] == "GET"
    for exception in fault["exception"]["values"]:
        assert exception["stacktrace"]["frames"][-1]["function"] == "fail"
    assert ("KeyError",) in stacks


def types(event: dict) -> tuple[str, ...]:
    return tuple(each["type"] for each in event.get("exception", {}).get("values", []))


def test_without_a_dsn_nothing_is_reported(reports):
    _, received = reports
    run("")
    assert received == []
