"""What a report to Sentry holds, and what it does not."""

import gzip
import json
from collections.abc import Iterator
from socket import socket

import pytest

from tests.gateway.servers import RawServer, answer
from tests.processes import python

pytestmark = pytest.mark.slow

pytest.importorskip("sentry_sdk")

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

    def handle(connection: socket, request: bytes) -> None:
        received.append(gzip.decompress(request.partition(b"\r\n\r\n")[2]).decode())
        connection.sendall(answer(body={}))

    with RawServer(handle) as server:
        yield f"http://key@127.0.0.1:{server.port}/1", received


def run(dsn: str) -> None:
    done = python("-c", PROGRAM, DJANGO_SETTINGS_MODULE="tests.settings", SENTRY_DSN=dsn)
    assert done.returncode == 0, done.stderr


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
