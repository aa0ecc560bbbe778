"""Statuses and envelopes map to results and errors."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.gateway import (
    CONTACTS,
    ENDPOINTS,
    INVOICES,
    LEADS,
    TASKS,
    Busy,
    Endpoint,
    Forbidden,
    GatewayError,
    KeysRefused,
    Missing,
    NotAllowed,
    NotOffered,
    OutcomeUnknown,
    Paused,
    Rejected,
    Unavailable,
)
from dashboard.gateway.protocol import (
    MAX_ROWS,
    Answer,
    TransportFailure,
    pause_before_retry,
    read_created,
    read_done,
    read_envelope,
    read_page,
    read_record,
    seconds_to_wait,
)

WRITES = ("create", "update", "delete")


def says(status: int, body: Any = None, **kwargs: Any) -> Answer:
    return Answer(status, body if isinstance(body, bytes) else json.dumps(body).encode(), **kwargs)


def refused(status: int, message: str = "", **more: Any) -> Answer:
    return says(status, {"success": False, "message": message, **more})


def error(operation: Any, outcome: Any, endpoint: Endpoint = CONTACTS) -> GatewayError:
    with pytest.raises(GatewayError) as raised:
        read_envelope(endpoint, operation, outcome)
    return raised.value


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, Rejected),
        (401, KeysRefused),
        (402, Rejected),
        (403, Forbidden),
        (404, Missing),
        (405, NotOffered),
        (409, Rejected),
        (413, Rejected),
        (422, Rejected),
        (429, Busy),
    ],
)
def test_a_refusal_means_the_same_for_reads_and_writes(
    status: int, kind: type[GatewayError]
) -> None:
    for operation in ("get", "update", "delete"):
        found = error(operation, says(status, {"success": False, "message": "No"}))
        assert (type(found), found.status, found.message) == (kind, status, "No"), operation


def test_only_an_area_that_a_plan_may_lack_is_said_to_be_missing_from_it() -> None:
    kinds = {each.name: type(error("list", refused(403), each)) for each in ENDPOINTS}
    lacking = {name for name, kind in kinds.items() if kind is NotAllowed}
    assert lacking == {"leads", "deals", "estimates", "invoices"}
    assert {kinds["contacts"], kinds["tasks"]} == {Forbidden}


def test_a_bare_401_or_429_stops_a_write() -> None:
    for body in (b"", b"<h1>Sign in</h1>", {"message": "No"}):
        for operation in WRITES:
            assert type(error(operation, says(401, body))) is Unavailable
            assert type(error(operation, says(429, body))) is Busy


def test_an_empty_201_or_202_confirms_a_create_and_nothing_else() -> None:
    for status in (201, 202):
        assert read_envelope(CONTACTS, "create", says(status, b"\r\n")) == {"success": True}
        assert type(error("create", says(status, b"{}"))) is OutcomeUnknown
        assert type(error("update", says(status, b""))) is OutcomeUnknown
    assert type(error("create", says(200, b""))) is OutcomeUnknown


@pytest.mark.parametrize(
    "status", [400, 402, 403, 404, 405, 409, 410, 413, 422, 451, 499, 501, 502]
)
def test_an_answer_without_an_envelope_is_not_the_services_word(status: int) -> None:
    for body in (
        b"",
        b"<h1>Error</h1>",
        {"message": "Forbidden by gateway"},
        {"message": "No", "success": "false"},
        {"message": "No", "success": True},
        ["No"],
    ):
        for endpoint, operation in ((CONTACTS, "update"), (CONTACTS, "create"), (TASKS, "delete")):
            found = error(operation, says(status, body), endpoint)
            assert (type(found), found.message) == (OutcomeUnknown, ""), body
        for operation in ("list", "get"):
            found = error(operation, says(status, body))
            assert (type(found), found.message) == (Unavailable, ""), body


@pytest.mark.parametrize("status", [300, 302, 304, 408, 500, 502, 503, 504, 599])
def test_other_statuses_are_unknown_for_a_write_and_unavailable_for_a_read(status: int) -> None:
    for body in ({"success": True}, {"success": False}, b"oops"):
        for operation in WRITES:
            assert type(error(operation, says(status, body))) is OutcomeUnknown, body
        for operation in ("list", "get"):
            assert type(error(operation, says(status, body))) is Unavailable, body


def test_not_implemented_is_a_missing_operation_only_where_it_might_be_missing() -> None:
    no = says(501, {"success": False})
    assert type(error("get", no)) is NotOffered
    assert type(error("update", no, TASKS)) is NotOffered
    assert type(error("update", no, CONTACTS)) is OutcomeUnknown


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        {},
        {"success": None},
        {"success": "true"},
        {"success": 1},
        {"success": {}},
        {"message": "Created"},
    ],
)
def test_a_write_without_success_true_has_an_unknown_outcome(body: Any) -> None:
    for operation in WRITES:
        found = error(operation, says(200, body))
        assert isinstance(found, OutcomeUnknown)
        assert found.reason == "unreadable answer"


@pytest.mark.parametrize("status", [200, 201, 202])
def test_success_true_counts_with_any_2xx(status: int) -> None:
    assert read_envelope(CONTACTS, "create", says(status, {"success": True})) == {"success": True}


@pytest.mark.parametrize("body", [{"success": True, "data": 1}, {"data": 1}, {"success": None}])
def test_a_read_may_leave_success_out(body: Any) -> None:
    assert read_envelope(CONTACTS, "list", says(200, body)) == body


@pytest.mark.parametrize("success", ["true", "false", 0, 1, [], {}])
def test_a_read_with_an_odd_success_is_unreadable(success: Any) -> None:
    assert type(error("list", says(200, {"success": success, "data": {}}))) is Unavailable


def test_no_content_confirms_an_update_or_a_deletion_and_nothing_else() -> None:
    for operation in ("update", "delete"):
        envelope = read_envelope(CONTACTS, operation, says(204, b""))
        assert envelope == {"success": True}
    assert type(error("create", says(204, b""))) is OutcomeUnknown
    assert type(error("get", says(204, b""))) is Unavailable
    assert "update" not in LEADS.operations
    assert type(error("update", says(204, b""), LEADS)) is OutcomeUnknown
    assert type(error("update", says(200, b""))) is OutcomeUnknown


def test_a_page_has_at_most_as_many_rows_as_are_read() -> None:
    def page_of(count: int) -> dict[str, Any]:
        return {"data": {"data": [{"cstid": number} for number in range(1, count + 1)]}}

    assert MAX_ROWS == 2_000
    page = read_page(CONTACTS, page_of(MAX_ROWS), 1, 100)
    assert (len(page.records), page.page_size) == (MAX_ROWS, MAX_ROWS)
    with pytest.raises(Unavailable) as raised:
        read_page(CONTACTS, page_of(MAX_ROWS + 1), 1, 100)
    assert raised.value.status == 200


def test_a_server_in_between_that_is_busy_says_for_how_long() -> None:
    found = error("list", says(429, b"", retry_after="7"))
    assert isinstance(found, Busy)
    assert (found.status, found.retry_after) == (429, 7)


def test_a_bare_404_of_a_read_means_a_missing_route_only_where_the_read_is_unpublished() -> None:
    assert "get" not in LEADS.operations
    for status in (404, 405, 501):
        found = error("get", says(status, b""), LEADS)
        assert (type(found), found.status) == (NotOffered, status)
        assert type(error("get", says(status, b""))) is Unavailable
    assert error("list", refused(404)).status == 404


def test_an_unreadable_answer_has_come_from_a_service_that_was_reached() -> None:
    for outcome, reached in (
        (says(200, b"?"), True),
        (TransportFailure("timeout", sent=True, connected=True), True),
        (TransportFailure("refused", sent=False, connected=False), False),
    ):
        found = error("list", outcome)
        assert isinstance(found, Unavailable)
        assert found.reached is reached


def test_success_false_with_200_is_a_refusal() -> None:
    body = {"success": False, "message": "No", "errors": {"cstname": ["Too long"]}}
    for operation in (*WRITES, "list"):
        found = error(operation, says(200, body))
        assert isinstance(found, Rejected)
        assert (found.message, found.fields, found.sent) == ("No", {"cstname": ["Too long"]}, True)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Record not found", Missing),
        ("Contact does not exist.", Missing),
        ("Could not find contact 17", Missing),
        ("Organisation not found", Rejected),
        ("No organisation", Rejected),
        ("The name is taken", Rejected),
        ("", Rejected),
    ],
)
def test_a_400_may_say_not_found(message: str, kind: type[GatewayError]) -> None:
    for operation in ("get", "delete"):
        assert type(error(operation, refused(400, message))) is kind


def test_not_found_in_an_update_is_missing_only_if_it_names_the_record() -> None:
    def kind(message: str) -> type:
        return type(error("update", refused(400, message), INVOICES))

    assert kind("Template not found") is Rejected
    assert kind("Customer 5 does not exist") is Rejected
    assert kind("Invoice not found") is Missing
    assert kind("Not found.") is Missing
    errors = {"customer_id": ["Invoice customer not found"]}
    found = error("update", refused(400, "Record not found", errors=errors))
    assert isinstance(found, Rejected)


def test_a_404_without_a_record_in_the_path_means_the_operation_is_missing() -> None:
    assert type(error("list", refused(404))) is NotOffered
    assert type(error("create", refused(404))) is NotOffered


def test_a_404_of_an_unpublished_operation_is_not_offered_unless_it_names_the_record() -> None:
    assert type(error("get", says(404, b"<h1>No route</h1>"), LEADS)) is NotOffered
    assert type(error("get", refused(404), LEADS)) is NotOffered
    assert type(error("get", refused(404, "Lead not found"), LEADS)) is Missing


@pytest.mark.parametrize("sent", [True, False])
def test_a_broken_call_is_unknown_only_for_a_write_that_may_have_been_sent(sent: bool) -> None:
    broken = TransportFailure("no answer in time", sent=sent)
    for operation in WRITES:
        assert type(error(operation, broken)) is (OutcomeUnknown if sent else Unavailable)
    for operation in ("list", "get"):
        assert type(error(operation, broken)) is Unavailable


def test_a_call_that_was_not_made_is_paused() -> None:
    for operation in (*WRITES, "list", "get"):
        assert type(error(operation, TransportFailure("", sent=False, attempted=False))) is Paused


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("", None),
        ("0", 0.0),
        (" 7 ", 7.0),
        ("-1", None),
        ("1.5", None),
        ("٣", None),
        ("inf", None),
        ("9" * 400, None),
        ("soon", None),
        ("Mon, 02 Mar 2026 10:00:30 GMT", 30.0),
        ("Mon, 02 Mar 2026 09:00:00 GMT", 0.0),
        ("Mon, 02 Mar 2026 10:00:30", 30.0),
        ("Mon, 99 Mar 99999999999999999999 10:00:30 GMT", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_date(header: str, seconds: float | None) -> None:
    now = datetime(2026, 3, 2, 10, tzinfo=UTC)
    assert seconds_to_wait(header, now=now) == seconds


@given(st.text(max_size=40))
def test_no_retry_after_raises_an_exception(header: str) -> None:
    seconds = seconds_to_wait(header)
    assert seconds is None or seconds >= 0


def test_pauses_are_jittered_grow_and_end() -> None:
    broken = TransportFailure("", sent=True)
    assert pause_before_retry(broken, 0, lambda: 1.0) == 0.2
    assert pause_before_retry(broken, 1, lambda: 1.0) == 0.4
    assert pause_before_retry(broken, 1, lambda: 0.0) == 0.0
    assert pause_before_retry(broken, 2, lambda: 0.0) is None
    assert (
        pause_before_retry(TransportFailure("", sent=False, attempted=False), 0, lambda: 0.0)
        is None
    )
    assert pause_before_retry(Answer(500), 0, lambda: 0.0) is None
    assert pause_before_retry(Answer(503, retry_after="2"), 0, lambda: 0.5) == 2.1
    assert pause_before_retry(Answer(429, retry_after="4"), 0, lambda: 0.0) is None


known = st.sampled_from(["success", "message", "errors", "data", "cstid", "contact", "items", "id"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(known, inner, max_size=3),
    max_leaves=5,
)
envelopes = st.dictionaries(known, json_values, max_size=5)
bodies = st.binary() | envelopes.map(lambda value: json.dumps(value).encode())
answers = st.builds(Answer, st.integers(200, 599), bodies, st.text(max_size=10))
outcomes = answers | st.builds(TransportFailure, st.text(), st.booleans())
operations = st.sampled_from(["list", "get", "create", "update", "delete"])


@given(st.sampled_from(ENDPOINTS), operations, outcomes)
def test_no_answer_raises_anything_but_the_error_tree(
    endpoint: Endpoint, operation: Any, outcome: Any
) -> None:
    try:
        envelope = read_envelope(endpoint, operation, outcome)
    except GatewayError as error:
        refused = error
    else:
        assert isinstance(outcome, Answer)
        assert 200 <= outcome.status < 300
        assert envelope.get("success") is True or operation in ("list", "get")
        read_everything(endpoint, envelope)
        return
    assert len(refused.message) <= 500
    str(refused).encode()


def read_everything(endpoint: Endpoint, envelope: dict[str, Any]) -> None:
    with suppress(Unavailable):
        read_page(endpoint, envelope, 0, 10)
    with suppress(Unavailable):
        read_record(endpoint, envelope, 1)
    with suppress(OutcomeUnknown):
        read_created(endpoint, envelope)
    with suppress(OutcomeUnknown):
        read_done(endpoint, envelope, 1)


@pytest.mark.parametrize("operation", ["create", "update", "delete"])
def test_a_page_of_a_list_leaves_the_outcome_of_a_write_unknown(operation: Any) -> None:
    body = b'{"success": true, "data": {"data": [], "current_page": 1}}'
    with pytest.raises(OutcomeUnknown, match="a list answered"):
        read_envelope(CONTACTS, operation, Answer(200, body))
