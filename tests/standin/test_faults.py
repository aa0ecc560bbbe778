"""Faults: their form, how they are selected, and whether the write was applied."""

import gzip
import http.client
import socket
from contextlib import suppress

import pytest

from dashboard.standin.faults.kinds import KINDS
from dashboard.standin.server import Response
from tests.waits import wait_until

from .conftest import Caller, make

CONTACT = {"cstname": "Struck", "contact_type": 1}
BROKEN = (OSError, http.client.HTTPException, ValueError)


def total(call):
    return call("GET", "/v1/contacts").json["data"]["total_records"]


def post(call, fault):
    try:
        return call("POST", "/v1/contacts", CONTACT, x_standin_fault=fault)
    except BROKEN as error:
        return error


@pytest.mark.parametrize("kind", ["reset", "close", "truncate", "truncate-head", "garbage"])
@pytest.mark.parametrize(("when", "more"), [("before", 0), ("after", 1)])
def test_a_connection_breaks_before_or_after_the_effect(terse, kind, when, more):
    before = total(terse)
    outcome = post(terse, f"{kind}-{when}")
    # http.client takes headers that break off for complete ones.
    assert isinstance(outcome, BROKEN) or (kind == "truncate-head" and not outcome.text)
    assert total(terse) == before + more
    (entry,) = terse.standin.ledger(operation="create")
    assert entry["effect"] is bool(more)
    assert entry["fault"] == f"{kind}-{when}"


@pytest.mark.parametrize("fault", ["status-500", "status-503:2", "status-409", "status-429-html"])
def test_a_status_fault_applies_the_write_only_with_after(terse, fault):
    before = total(terse)
    name, _, wait = fault.partition(":")
    reply = post(terse, fault)
    assert reply.status == int(name.split("-")[1])
    assert reply.headers.get("Retry-After", "") == wait
    assert total(terse) == before
    assert post(terse, f"{name}-after").status == reply.status
    assert total(terse) == before + 1


SHAPES = {
    "success-missing": lambda reply: "success" not in reply.json,
    "success-string": lambda reply: reply.json["success"] == "true",
    "success-one": lambda reply: reply.json["success"] is not True and reply.json["success"] == 1,
    "success-null": lambda reply: reply.json["success"] is None,
    "success-false": lambda reply: reply.json["success"] is False,
    "data-missing": lambda reply: "data" not in reply.json,
    "data-null": lambda reply: reply.json["data"] is None,
    "data-data-null": lambda reply: reply.json["data"]["data"] is None,
    "empty-body": lambda reply: reply.text == "",
    "html": lambda reply: "<h1>" in reply.text and reply.headers["Content-Type"] == "text/html",
    "list-more": lambda reply: reply.json["data"]["total_records"] == 610,
    "list-empty": lambda reply: reply.json["data"]["data"] == [],
    "list-oversized": lambda reply: len(reply.json["data"]["data"]) == 20,
    "list-odd-rows": lambda reply: reply.json["data"]["data"][0] is None,
}


@pytest.mark.parametrize("kind", SHAPES)
def test_a_response_fault_has_its_form(terse, kind):
    reply = terse("GET", "/v1/contacts", x_standin_fault=kind)
    assert reply.status == 200
    assert SHAPES[kind](reply)


def test_gzip_bomb_unpacks_to_100_megabytes():
    response = KINDS["gzip-bomb"].response(Response(200, b"{}"), "")
    assert len(response.body) < 600_000
    assert len(gzip.decompress(response.body)) > 100_000_000


def test_late_applies_the_write_after_the_response(terse):
    before = total(terse)
    assert post(terse, "late:1").status == 504
    assert total(terse) == before
    wait_until(lambda: total(terse) != before)
    assert total(terse) == before + 1


def test_refuse_and_accept_close_and_open_the_port(terse):
    port = terse.standin.server.port
    terse.admin("POST", "/refuse")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
    terse.admin("POST", "/accept")
    assert terse("GET", "/v1/contacts").status == 200


def test_text_in_a_field_or_search_selects_a_fault(terse):
    body = {**CONTACT, "cstnotes": "please !fault:status-502 now"}
    assert terse("POST", "/v1/contacts", body).status == 502
    assert terse("GET", "/v1/contacts?search=%21fault%3Astatus-503").status == 503


def test_a_rule_matches_path_key_pair_or_operation(terse):
    terse.standin.fault("status-500", path="/v1/deals/*")
    terse.standin.fault("status-501", pair="acme/sales")
    terse.standin.fault("status-502", operation="get", resource="tasks")
    assert terse("GET", "/v1/deals/301").status == 500
    assert terse("GET", "/v1/deals").status == 200
    assert Caller(terse.standin, "acme", 1)("GET", "/v1/contacts").status == 501
    assert terse("GET", "/v1/tasks/20001").status == 502


def test_a_rule_applies_to_the_nth_request_or_a_number_of_times(terse):
    terse.standin.fault("status-500", nth=2)
    assert [terse("GET", "/v1/contacts").status for _ in range(3)] == [200, 500, 200]
    terse.standin.clear_faults()
    terse.standin.fault("status-500", times=2)
    assert [terse("GET", "/v1/contacts").status for _ in range(3)] == [500, 500, 200]


def test_the_admin_port_adds_lists_and_drops_rules(terse):
    rule = {"kind": "status-500", "resource": "contacts"}
    assert terse.admin("POST", "/faults", rule).json == {"id": 1}
    assert rule.items() <= terse.admin("GET", "/faults").json[0].items()
    assert terse("GET", "/v1/contacts").status == 500
    terse.admin("DELETE", "/faults")
    assert terse("GET", "/v1/contacts").status == 200
    assert terse.admin("POST", "/faults", {"kind": "no-such"}).status == 400
    assert terse.admin("POST", "/faults", {"kind": "reset", "colour": 1}).status == 400
    assert len(terse.admin("GET", "/faults/kinds").json) > 50


@pytest.fixture(scope="module")
def shared():
    with make("verbose") as standin:
        yield Caller(standin)


def test_no_fault_raises_in_the_stand_in(shared, capfd, subtests):
    for kind in sorted(set(KINDS) - {"hang", "slow", "drip", "late", "refuse"}):
        with subtests.test(kind):
            for method, body in (("GET", None), ("POST", CONTACT)):
                with suppress(*BROKEN):
                    shared(method, "/v1/contacts", body, x_standin_fault=kind)
            assert shared("GET", "/v1/contacts").status == 200
            assert "Traceback" not in capfd.readouterr().err
