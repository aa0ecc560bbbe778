"""Calls over real sockets: the request sent, the time limit, the result or error."""

import gzip
import json
import logging
import re
import traceback
from collections.abc import Callable
from http.cookiejar import CookieJar
from typing import Any

import pytest

from dashboard.administration.demo import free_port
from dashboard.gateway import (
    CONTACTS,
    Gateway,
    GatewayError,
    Keys,
    KeysRefused,
    Missing,
    NotOffered,
    OutcomeUnknown,
    Rejected,
    Service,
    Unavailable,
)

from .servers import ACME, LIST, SAVED, RawServer, answer, drips, hangs, resets, says

Connect = Callable[..., Gateway]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n"


def test_list_sends_keys_and_query_and_returns_the_page(connect: Connect) -> None:
    with RawServer(says(200, LIST)) as server:
        gateway = connect(server.url + "/base/")
        page = gateway.list(
            CONTACTS, search="a b&c", page_index=3, page_size=25, filters={"type": 1}
        )
    request = server.requests[0].decode()
    assert request.startswith(
        "GET /base/v1/contacts?pageSize=25&pageIndex=3&search=a+b%26c&type=1 HTTP/1.1\r\n"
    )
    assert "x-service-access-key: access-key-of-a-test-1234\r\n" in request
    assert "x-service-secret-key: secret-key-of-a-test-5678\r\n" in request
    assert f"Host: 127.0.0.1:{server.port}\r\n" in request
    assert [record.id for record in page.records] == [1, 2]


def test_header_names_are_a_setting(connect: Connect) -> None:
    with RawServer(says(200, LIST)) as server:
        connect(server.url, access_header="x-acme-access", secret_header="x-acme-secret").list(
            CONTACTS
        )
    assert b"x-acme-access: access-key" in server.requests[0]
    assert b"x-acme-secret: secret-key" in server.requests[0]


def test_create_sends_its_body_once_and_returns_the_new_record(connect: Connect) -> None:
    with RawServer(says(201, SAVED)) as server:
        created = connect(server.url).create(CONTACTS, ACME)
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v1/contacts HTTP/1.1")
    assert b"content-type: application/json" in head
    assert json.loads(body) == ACME
    assert (created.id, created.label) == (9, "Acme")


def test_connections_are_kept_and_cookies_are_not(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    ports = set()
    stored: list[Any] = []
    monkeypatch.setattr(CookieJar, "set_cookie", lambda _self, cookie: stored.append(cookie))

    def handle(connection: Any, _request: bytes) -> None:
        ports.add(connection.getpeername()[1])
        connection.sendall(answer(200, LIST, "Set-Cookie: a=b\r\n"))

    with RawServer(handle) as server:
        gateway = connect(server.url)
        for _ in range(3):
            gateway.list(CONTACTS)
    assert len(ports) == 1
    assert stored == []
    assert not any(b"cookie" in request.lower() for request in server.requests)


def test_redirects_are_not_followed(connect: Connect) -> None:
    with RawServer(says(302, {}, "Location: /elsewhere\r\n")) as server:
        gateway = connect(server.url)
        with pytest.raises(Unavailable):
            gateway.list(CONTACTS)
        with pytest.raises(OutcomeUnknown):
            gateway.delete(CONTACTS, 1)
    assert len(server.requests) == 2


def test_proxies_of_the_environment_are_ignored(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    with RawServer(says(200, LIST)) as server:
        assert connect(server.url).list(CONTACTS).total_records == 2


@pytest.mark.parametrize(
    "handler",
    [
        pytest.param(hangs, id="hung"),
        pytest.param(drips(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), id="interim answers"),
        pytest.param(drips(b"HTTP/1.1 200 OK\r\nx: ", b"y"), id="a dripping header"),
        pytest.param(drips(HEAD + b"\r\n", b" "), id="a dripping body"),
        pytest.param(
            drips(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
            id="dripping chunks",
        ),
    ],
)
def test_a_call_ends_at_its_deadline_whatever_the_server_does(
    connect: Connect, handler: Any
) -> None:
    with RawServer(handler) as server:
        gateway = connect(server.url, timeout=0.3)
        with pytest.raises(Unavailable, match="no answer in time"):
            gateway.list(CONTACTS)
        with pytest.raises(OutcomeUnknown, match="no answer in time"):
            gateway.create(CONTACTS, ACME)


def test_a_body_past_the_cap_is_unreadable_zipped_or_not(connect: Connect) -> None:
    padding = b" " * 8_100_000  # without the cap, these would be good answers
    plain = json.dumps(LIST).encode() + padding
    zipped = gzip.compress(plain)
    saved = gzip.compress(json.dumps(SAVED).encode() + padding)
    coded = "Content-Encoding: gzip\r\n"
    with RawServer(says(200, plain), says(200, zipped, coded), says(200, saved, coded)) as server:
        gateway = connect(server.url)
        for _ in range(2):
            with pytest.raises(Unavailable, match="unreadable"):
                gateway.list(CONTACTS)
        with pytest.raises(OutcomeUnknown, match="unreadable"):
            gateway.create(CONTACTS, ACME)


def test_an_answer_is_complete_whatever_its_retry_after_says(connect: Connect) -> None:
    with RawServer(says(201, SAVED, "Retry-After: später\r\n")) as server:
        assert connect(server.url).create(CONTACTS, ACME).id == 9


def test_a_401_means_refused_keys_only_if_a_plain_list_is_refused_too(connect: Connect) -> None:
    no = says(401, {"success": False})
    with RawServer(no) as server, pytest.raises(KeysRefused):
        connect(server.url).get(CONTACTS, 3)
    with RawServer(no, says(200, LIST)) as server, pytest.raises(Missing):
        connect(server.url).get(CONTACTS, 3)
    with RawServer(no, says(200, LIST)) as server, pytest.raises(Rejected):
        connect(server.url).create(CONTACTS, ACME)
    with RawServer(no, says(500, {})) as server, pytest.raises(Unavailable):
        connect(server.url).delete(CONTACTS, 3)


def test_a_401_of_a_proxy_does_not_mark_the_keys_as_refused(connect: Connect) -> None:
    with RawServer(says(401, b"<h1>Proxy login</h1>")) as server:
        gateway = connect(server.url)
        with pytest.raises(Unavailable):
            gateway.create(CONTACTS, ACME)
        with pytest.raises(Unavailable):
            gateway.list(CONTACTS)
        assert gateway.accepted is None
        assert len(server.requests) == 2


def test_a_write_carries_its_token_and_a_read_none(connect: Connect) -> None:
    with RawServer(says(200, {"success": True})) as server:
        gateway = connect(server.url)
        gateway.create(CONTACTS, ACME, token="zq-1:2+")
        gateway.update(CONTACTS, 3, {"cstname": "A"}, token="zq-2")
        gateway.delete(CONTACTS, 3, token="zq-3")
        gateway.delete(CONTACTS, 3)
    tokens = [re.findall(rb"(?i)idempotency-key: (\S+)", request) for request in server.requests]
    assert tokens == [[b"zq-1:2+"], [b"zq-2"], [b"zq-3"], []]


def test_an_operation_that_is_not_published_is_refused_until_switched_on(
    connect: Connect,
) -> None:
    from dashboard.gateway import LEADS, TASKS

    with RawServer(says(200, {"success": True, "message": "ok"})) as server:
        gateway = connect(server.url)
        for call in (
            lambda: gateway.update(TASKS, 1, {"nonsense": 1}),
            lambda: gateway.delete(TASKS, 1),
            lambda: gateway.get(LEADS, 1),
            lambda: gateway.update(LEADS, 1, {"cstname": "x"}),
        ):
            with pytest.raises(NotOffered):
                call()
        assert server.requests == []
        gateway = connect(server.url, enabled=frozenset({"tasks.update"}))
        assert gateway.update(TASKS, 1, {"title": "x"})
        assert server.requests[0].startswith(b"PUT /v1/tasks/1 ")
        with pytest.raises(NotOffered):
            gateway.delete(TASKS, 1)


def test_keys_repeated_by_the_service_are_redacted_from_errors(connect: Connect) -> None:
    words = "Bad pair access-key-of-a-test-1234 / secret-key-of-a-test-5678"
    body = {"success": False, "message": words, "errors": {"key": [words]}}
    with RawServer(says(422, body)) as server, pytest.raises(Rejected) as raised:
        connect(server.url).create(CONTACTS, ACME)
    assert "of-a-test" not in raised.value.message + str(raised.value.fields)


def test_neither_keys_nor_search_text_are_logged(
    connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("", "httpx", "httpcore"):
        caplog.set_level(logging.DEBUG, logger=name)
    with RawServer(says(200, LIST), resets) as server:
        gateway = connect(server.url)
        gateway.list(CONTACTS, search="private-matter")
        with pytest.raises(GatewayError):
            gateway.list(CONTACTS, search="private-matter")
    assert "send_request_headers" in caplog.text  # the library did log
    for secret in ("of-a-test", "private-matter"):
        assert secret not in caplog.text


@pytest.mark.parametrize(
    "url", ["", "example.com", "ftp://example.com", "http://", "http://u:p@host"]
)
def test_an_invalid_base_url_raises_value_error(url: str) -> None:
    with pytest.raises(ValueError, match="base URL"):
        Service(url)


@pytest.mark.parametrize("name", ["", "x key", "x:key", "x\r\nkey", "é"])
def test_an_invalid_header_name_raises_value_error(name: str) -> None:
    with pytest.raises(ValueError, match="header"):
        Service("http://127.0.0.1:1", access_header=name)


def test_no_traceback_of_a_failed_call_shows_a_key(connect: Connect) -> None:
    with RawServer(resets) as server, pytest.raises(Unavailable) as raised:
        connect(server.url).list(CONTACTS)
    error: BaseException = raised.value
    assert error.__cause__ is None
    assert error.__context__ is None
    trace = traceback.TracebackException.from_exception(error, capture_locals=True)
    printed = "".join(trace.format())
    assert "gateway.py" in printed
    assert "of-a-test" not in printed


def test_calls_carry_the_id_of_their_request_and_are_noted_when_they_end() -> None:
    noted: list[tuple[str, str, str]] = []
    answers = says(200, {"success": True}), says(500, {})
    with RawServer(*answers) as server:
        service = Service(
            server.url,
            note=lambda endpoint, operation, outcome, _: noted.append(
                (endpoint, operation, outcome)
            ),
            request_id=lambda: "request-4711",
        )
        gateway = Gateway(service, Keys(access="a" * 8, secret="s" * 8))
        gateway.update(CONTACTS, 3, {"cstname": "A"})
        with pytest.raises(OutcomeUnknown):
            gateway.delete(CONTACTS, 3)
        service.close()
    found = [re.findall(rb"(?i)x-request-id: (\S+)", request) for request in server.requests]
    assert found == [[b"request-4711"], [b"request-4711"]]
    assert noted == [("contacts", "update", "ok"), ("contacts", "delete", "OutcomeUnknown")]
