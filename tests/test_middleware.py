"""Malformed requests are refused before they reach a view, and pages are not stored."""

import pytest
from django.test import Client

from tests.page_forms import fields

NAMES = ["TESTSERVER", "testserver.", "Testserver:80", "testserver.:80"]
PORTS = ["testserver:0", "testserver:080", "testserver:99999", "testserver:"]
OTHERS = ["elsewhere", "testserver.elsewhere", "testserver@elsewhere", "testserver:80:80", " "]


@pytest.mark.parametrize("path", ["/accounts/login/", "/static/site.css"])
def test_a_host_that_is_not_spelt_as_listed_gets_the_400_page(path, subtests):
    for host in (*NAMES, *PORTS, *OTHERS):
        with subtests.test(host):
            response = Client().get(path, headers={"host": host})
            assert response.status_code == 400
            page = response.content.decode()
            assert "Wrong web address" in page
            assert "Go to Today" not in page  # which is not found here either


@pytest.mark.parametrize(
    ("host", "listed"),
    [
        ("testserver", "testserver"),
        ("testserver:8000", "testserver"),
        ("127.0.0.1:8000", "127.0.0.1"),
        ("[::1]:8000", "[::1]"),
        ("crm.office.test", ".office.test"),
    ],
)
def test_a_listed_host_is_served_on_any_port(host, listed, settings, db):
    settings.ALLOWED_HOSTS = [listed]
    assert Client().get("/accounts/login/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/contacts/", "/nowhere/"])
def test_pages_are_not_stored(path, desk):
    for client in (Client(), desk):
        assert "no-store" in client.get(path)["Cache-Control"]


def test_a_form_that_a_script_sends_gets_the_address_of_a_redirect(desk):
    typed = {**fields(desk.get("/contacts/new/")), "cstname": "Zebra", "contact_type": "1"}
    answer = desk.post("/contacts/new/", typed, headers={"x-sent-by": "script"})
    assert answer.status_code == 204
    assert "Location" not in answer.headers
    assert desk.get(answer.headers["X-Location"]).status_code == 200
    assert desk.post("/contacts/new/", typed).headers["Location"] == answer.headers["X-Location"]


@pytest.mark.parametrize("method", ["get", "head"])
def test_the_address_of_a_button_that_is_opened_says_so(method, desk):
    answer = getattr(desk, method)("/unfinished/discard/")
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    if method == "get":
        assert "be opened directly" in answer.content.decode()


def test_a_form_that_is_too_large_gets_a_page_that_says_so(desk, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 3
    answer = desk.post("/contacts/new/", {f"field-{number}": "x" for number in range(5)})
    assert answer.status_code == 413
    assert "Too much data" in answer.content.decode()
