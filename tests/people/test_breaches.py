"""New passwords are looked up among those of breaches, where a service for that is set."""

from hashlib import sha1

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from dashboard.administration.demo import free_port
from dashboard.people import passwords
from tests.gateway.servers import RawServer, hangs, resets, says
from tests.test_settings import COMPLETE, load

PASSWORD = "purple tractor seven"
DIGEST = sha1(PASSWORD.encode()).hexdigest().upper()
OTHERS = "00000000000000000000000000000000000:3\r\n"


@pytest.fixture
def asked(settings):
    """asked(address): the address is that of the service."""
    settings.AUTH_PASSWORD_VALIDATORS = [{"NAME": "dashboard.people.passwords.BreachedValidator"}]

    def at(address: str) -> None:
        settings.BREACHED_PASSWORDS_URL = f"{address}/range/"

    return at


def test_a_password_of_a_breach_is_refused_and_only_five_characters_are_sent(asked):
    with RawServer(says(200, f"{OTHERS}{DIGEST[5:]}:12\r\n".encode())) as server:
        asked(server.url)
        with pytest.raises(ValidationError, match="breach") as refused:
            validate_password(PASSWORD)
    assert refused.value.error_list[0].code == "breached"
    [request] = server.requests
    assert request.startswith(f"GET /range/{DIGEST[:5]} HTTP/1.1\r\n".encode())
    assert b"add-padding: true\r\n" in request.lower()
    assert DIGEST[5:].encode() not in request
    assert PASSWORD.encode() not in request


@pytest.mark.parametrize("body", [OTHERS, "", f"{OTHERS}{DIGEST[5:]}:0\r\n", "<p>Hello</p>"])
def test_a_password_that_is_not_among_them_is_accepted(asked, body):
    with RawServer(says(200, body.encode())) as server:
        asked(server.url)
        validate_password(PASSWORD)


@pytest.mark.parametrize(
    ("handler", "status"), [(says(503, b""), 503), (resets, 0), (hangs, 0), (None, 0)]
)
def test_without_an_answer_it_is_accepted_and_that_is_logged(
    asked, caplog, security_log, monkeypatch, handler, status
):
    monkeypatch.setattr(passwords, "BREACHES_TIMEOUT", 0.3)
    with RawServer(handler or resets) as server:
        asked(server.url if handler else f"http://127.0.0.1:{free_port()}")
        validate_password(PASSWORD)
    [line] = security_log()
    assert (line["event"], line["status"]) == ("breached passwords not asked", status)
    assert DIGEST[:5] not in caplog.text


def test_it_is_asked_where_the_address_is_set_and_only_there():
    validators = "[each['NAME'].split('.')[-1] for each in settings.AUTH_PASSWORD_VALIDATORS]"
    address = {"BREACHED_PASSWORDS_URL": "https://pwned.example.test/range/"}
    assert "BreachedValidator" not in load(COMPLETE, validators).stdout
    assert "BreachedValidator" in load(COMPLETE | address, validators).stdout
