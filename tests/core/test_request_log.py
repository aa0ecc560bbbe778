"""One line for each request, with an id that its answer, its error page and its calls have too."""

import json
import logging
import re
from copy import deepcopy
from logging.config import DictConfigurator

import pytest
import structlog
from django.conf import settings
from django.db import OperationalError, connection

from dashboard.core import logs
from dashboard.people import permissions
from tests.conftest import PASSWORD, person
from tests.page import InspectingClient
from tests.page_forms import fields

REQUESTS = "dashboard.requests"


@pytest.fixture
def lines(caplog):
    """lines(logger): its lines so far, as the objects that an operator reads."""
    caplog.set_level(logging.INFO)
    formatter = logs.json_lines()

    def read(logger):
        found = [record for record in caplog.records if record.name == logger]
        return [json.loads(formatter.format(record)) for record in found]

    return read


def test_a_line_says_who_asked_for_what_and_how_long_the_service_took(desk, manager, lines):
    answer = desk.get("/contacts/?search=Zebra")
    [line] = lines(REQUESTS)
    assert line["method"] == "GET"
    assert line["path"] == "/contacts/"
    assert line["status"] == 200
    assert line["person"] == manager.pk
    assert line["api_calls"] >= 1
    assert line["api_seconds"] > 0
    assert line["seconds"] > 0
    assert re.search(r"\d\d:\d\d:\d\d.*(Z|\+00:00)$", line["timestamp"])
    assert line["request_id"] == answer["X-Request-ID"]
    assert "Zebra" not in json.dumps(line)


def test_a_line_asks_the_database_for_nobody(desk, lines, django_assert_num_queries):
    with django_assert_num_queries(0):
        desk.get("/healthz")
    assert lines(REQUESTS)[0]["person"] is None


def test_calls_that_run_side_by_side_are_counted(desk, lines):
    desk.get("/")
    assert lines(REQUESTS)[0]["api_calls"] >= 5


@pytest.mark.parametrize(
    ("given", "kept"),
    [("proxy-4711-abc", True), ("short", False), ("x" * 65, False), ('{"a": "b", "c"}', False)],
)
def test_the_id_of_a_proxy_is_taken_over_if_it_looks_like_one(client, db, given, kept):
    answer = client.get("/accounts/login/", headers={"X-Request-ID": given})
    assert (answer["X-Request-ID"] == given) is kept
    assert len(answer["X-Request-ID"]) >= 8


def test_the_key_of_a_mailed_link_is_not_logged(client, db, lines):
    client.get("/accounts/password/reset/1-c9f2ab-0123456789abcdef/")
    assert "abcdef" not in json.dumps(lines(REQUESTS))
    assert lines(REQUESTS)[0]["view"] == "account_reset_password_from_key"


@pytest.mark.parametrize("address", ["/nothing-here/", "/contacts/999999/"])
def test_what_is_not_there_shows_no_id_as_nothing_failed(desk, address):
    missing = desk.get(address)
    assert missing.status_code == 404
    assert missing["X-Request-ID"] not in missing.content.decode()


def test_pages_of_failures_show_the_id(desk, standin, lines):
    standin.refuse()
    failed = desk.get("/contacts/")
    assert failed["X-Request-ID"] in failed.content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_request_without_the_database_has_a_line(desk, lines):
    desk.raise_request_exception = False

    def fail(*args):
        raise OperationalError("the database is away")

    with connection.execute_wrapper(fail):
        answer = desk.get("/contacts/")
    assert answer["X-Request-ID"] in answer.content.decode()
    [line] = lines(REQUESTS)
    assert (line["status"], line["level"]) == (503, "warning")


def test_a_failure_of_the_database_is_one_line_as_the_settings_write_it(capsys):
    written = DictConfigurator(deepcopy(settings.LOGGING))
    form = written.configure_formatter(written.config["formatters"]["json"])
    written.config["formatters"] = {"json": form}
    handler = written.configure_handler(written.config["handlers"]["console"])
    logger = logging.getLogger("dashboard.told")
    logger.addHandler(handler)
    try:
        raise OperationalError("the database is away")
    except OperationalError:
        structlog.stdlib.get_logger("dashboard.told").exception("nothing was sent", kind="mail")
    logger.removeHandler(handler)
    [line] = capsys.readouterr().err.splitlines()
    found = json.loads(line)
    assert (found["event"], found["kind"]) == ("nothing was sent", "mail")
    assert "the database is away" in found["exception"]
    assert not logging.raiseExceptions


def test_the_security_log_has_no_typed_text(manager, lines, db):
    client = InspectingClient()
    client.post("/accounts/login/", {"login": "pa55word-by-mistake", "password": "nope-nope"})
    client.post("/accounts/login/", {"login": manager.username, "password": "nope-nope"})
    client.post("/accounts/login/", {"login": manager.username, "password": PASSWORD})
    client.post("/accounts/logout/")
    found = lines("security")
    events = ["sign-in failed", "sign-in failed", "signed in", "signed out"]
    assert [line["event"] for line in found] == events
    assert [line["person"] for line in found] == [None, manager.pk, manager.pk, manager.pk]
    assert {line["address"] for line in found} == {"127.0.0.1"}
    assert "pa55word" not in json.dumps(found)
    assert "nope" not in json.dumps(found)


def test_changes_by_administrators_and_exports_are_in_the_security_log(
    client_of, with_keys, administrator, lines
):
    client = client_of(with_keys(administrator))
    client.post("/settings/service/", {"on": ["tasks.update"]})
    client.post("/contacts/export/", {"content": "all", "form": "csv"})
    viewer = person("vera", permissions.VIEWER)
    form = fields(client.get(f"/staff/{viewer.pk}/"), role=permissions.MANAGER)
    confirm = client.post(f"/staff/{viewer.pk}/", form)["Location"]
    client.post(confirm, {"password": PASSWORD})
    events = [(line["event"], line.get("of")) for line in lines("security")]
    assert ("update", "service") in events
    assert ("export", "contacts") in events
    changed = next(line for line in lines("security") if line.get("account") == viewer.pk)
    assert changed["fields"] == ["Role"]


def test_a_write_is_logged_with_its_answer_and_without_its_content(desk, standin, lines):
    form = {"contact_type": "2", "cstname": "Zebra Ltd"}
    page = desk.get("/contacts/new/")
    assert page.status_code == 200
    desk.post("/contacts/new/", {**fields(page), **form})
    standin.fault("status-422", operation="create", times=1)
    desk.post("/contacts/new/", {**fields(desk.get("/contacts/new/")), **form})
    saved, refused = lines("dashboard.writes.writer")
    assert (saved["event"], saved["resource"], saved["operation"]) == (
        "write",
        "contacts",
        "create",
    )
    assert saved["state"] == "saved"
    assert saved["record"] == standin.ledger(operation="create")[0]["record"]
    assert (refused["state"], refused["error"], refused["status"]) == ("not saved", "Rejected", 422)
    assert "Zebra" not in json.dumps([saved, refused])


def test_a_stray_host_is_one_line_that_says_so(client, db, lines, caplog):
    for host in ("desk.example.com.", "stranger.example"):
        caplog.clear()
        assert client.get("/contacts/", headers={"Host": host}).status_code == 400
        assert [record.name for record in caplog.records] == [REQUESTS]
        [line] = lines(REQUESTS)
        assert line["refused"] == "DisallowedHost"
        assert host not in json.dumps(line)
