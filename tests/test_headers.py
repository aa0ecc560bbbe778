"""What browsers are told about every answer: headers and cookies."""

import base64
import hashlib
import re
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.core import mail
from django.http import HttpResponse
from django.test import Client, RequestFactory

from dashboard.core.message_cookie import MessageStorage
from dashboard.core.templates import import_map_hash
from dashboard.schema.registry import RESOURCES
from tests.helpers import run_worker
from tests.page_forms import fields
from tests.test_access import ADDRESSES
from tests.test_settings import COMPLETE, load

ROOT = Path(__file__).parent.parent
HEADERS = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Access-Control-Allow-Origin": None,
}
UNUSED = ("camera", "microphone", "geolocation", "payment", "usb")
POLICY = {
    "default-src": ["'none'"],
    "base-uri": ["'none'"],
    "frame-ancestors": ["'none'"],
    "script-src": ["'self'", import_map_hash()],
    "font-src": ["'self'"],
    "style-src": ["'self'"],
    "connect-src": ["'self'"],
    "form-action": ["'self'"],
    "img-src": ["'self'", "data:"],
}


@pytest.fixture
def https(settings):
    """The settings of a site with https, as far as they show in an answer."""
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    settings.HTTPS_ONLY = settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    settings.SECURE_HSTS_PRELOAD = settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_HSTS_SECONDS = 31_536_000
    settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
    settings.MESSAGES_COOKIE_NAME = "__Host-messages"


def pages(gateway):
    """An address of every page kind that a GET opens."""
    found = dict(ADDRESSES)
    for each in RESOURCES.values():
        number = gateway.list(each.endpoint).records[0].id
        for name in found:
            if name.startswith(f"{each.name}:"):
                found[name] = found[name].replace("/1/", f"/{number}/")
    return {name: path for name, path in found.items() if name != "account_logout"}


def test_browsers_are_told_to_use_https_for_a_year_on_every_host(https, db):
    names = ("SECONDS", "INCLUDE_SUBDOMAINS", "PRELOAD")
    expression = ", ".join(f"settings.SECURE_HSTS_{name}" for name in names)
    assert load(COMPLETE, f"({expression})").stdout.strip() == "(31536000, True, True)"
    told = Client().get("/accounts/login/", secure=True)["Strict-Transport-Security"]
    assert told == "max-age=31536000; includeSubDomains; preload"


def policy(answer) -> dict[str, list[str]]:
    parts = (part.split() for part in answer["Content-Security-Policy"].split(";"))
    return {name: sources for name, *sources in filter(None, parts)}


@pytest.fixture
def static_file(settings, tmp_path):
    """The address of a collected file."""
    settings.STATIC_ROOT = str(tmp_path)
    (tmp_path / "a.svg").write_text("<svg/>")
    return "/static/a.svg"


@pytest.mark.parametrize("host", ["testserver", "elsewhere"])
def test_every_answer_is_closed_to_other_sites(db, static_file, host):
    """Pages, static files, what is not there, and a refusal of the host."""
    client = Client(headers={"host": host})
    for path in ("/accounts/login/", static_file, "/nowhere/", "/contacts/", "/healthz"):
        answer = client.get(path)
        assert {name: answer.get(name) for name in HEADERS} == HEADERS
        assert all(f"{name}=()" in answer["Permissions-Policy"] for name in UNUSED)
        assert policy(answer) == POLICY


def test_a_static_file_is_found(static_file):
    assert Client().get(static_file).status_code == 200


def test_cookies_belong_to_this_host_alone():
    names = ("SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME", "MESSAGES_COOKIE_NAME")
    expression = ", ".join(f"settings.{name}" for name in (*names, "CSRF_COOKIE_HTTPONLY"))
    found = load(COMPLETE, f"({expression})").stdout.strip()
    assert found == "('__Host-sessionid', '__Host-csrftoken', '__Host-messages', True)"
    plain = load(
        {**COMPLETE, "SITE_URL": "http://a.test"}, "settings.SESSION_COOKIE_NAME"
    ).stdout.strip()
    assert plain == "sessionid"
    assert {configured.SESSION_COOKIE_PATH, configured.CSRF_COOKIE_PATH} == {"/"}


def saved_contact(client):
    """The answer to a contact that was saved: its message waits for the next page."""
    given = fields(client.get("/contacts/new/")) | {"cstname": "Zebra Canary"}
    answer = client.post("/contacts/new/", given)
    assert answer.status_code == 302
    return answer


def says_so(client) -> bool:
    page = client.get("/help/").content.decode()
    return "Zebra Canary" in re.search('id="messages".*?id="announcer"', page, re.DOTALL)[0]


def test_a_message_is_shown_once_and_its_cookie_cannot_be_read(desk):
    cookie = saved_contact(desk).cookies["messages"]
    assert "Zebra" not in cookie.value
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", "")
    assert [says_so(desk), says_so(desk)] == [True, False]
    assert set(desk.cookies) - {"messages"} == {"sessionid", "csrftoken"}
    assert desk.cookies["messages"].value == ""


@pytest.mark.parametrize("text", ["rubbish", None])
def test_a_message_for_somebody_else_or_a_forged_one_is_dropped(desk, editor, text):
    """None: the message of the manager, whose browser the editor uses next."""
    kept = saved_contact(desk).cookies["messages"].value
    desk.force_login(editor, backend="dashboard.people.backend.StaffBackend")
    desk.cookies["messages"] = text or kept
    assert not says_so(desk)


@pytest.mark.parametrize("length", [100, 1000, 5000])
def test_messages_that_a_cookie_has_no_room_for_are_kept_in_the_session(desk, length):
    """nginx takes answers with 4 kB of headers."""
    request, response = RequestFactory().get("/"), HttpResponse()
    request.user, request.session = AnonymousUser(), desk.session
    storage = MessageStorage(request)
    said = [f"{number} {'字' * length}" for number in range(3)]
    for words in said:
        storage.add(messages.INFO, words)
    assert storage.update(response) == []
    cookie = response.cookies["messages"]
    assert len(cookie.OutputString()) < 2700
    request.COOKIES["messages"] = cookie.value
    read = MessageStorage(request)
    assert [str(each) for each in read] == said
    read.update(response)
    assert set(request.session.keys()) == set(desk.session.keys())  # without messages


def test_scripts_read_the_token_of_the_form():
    """The cookie is hidden from them."""
    for path in (ROOT / "static").rglob("*.js"):
        assert "csrftoken" not in path.read_text()


def test_the_policy_allows_the_import_map_of_a_page_and_no_other_script_in_it(desk):
    answer = desk.get("/invoices/new/")
    [(attributes, text)] = re.findall(r"<script([^>]*)>([^<]+)</script>", answer.content.decode())
    assert attributes == ' type="importmap"'
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert f"script-src 'self' 'sha256-{digest}'" in answer["Content-Security-Policy"]


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options", "trace"])
def test_other_methods_are_not_allowed(method, desk):
    for client in (desk, Client()):
        for path in ("/contacts/1/", "/accounts/login/", "/history/", "/healthz"):
            answer = getattr(client, method)(path)
            assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD, POST")
            assert answer["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("method", "path", "host", "status"),
    [("put", "/contacts/", "testserver", 405), ("get", "/?a=%00", "testserver", 400),
     ("get", "/contacts/", "elsewhere", 400), ("get", "/contacts/", "TestServer.", 400)],
)  # fmt: skip
def test_a_refused_request_keeps_browsers_on_https(https, method, path, host, status):
    answer = getattr(Client(headers={"host": host}), method)(path, secure=True)
    assert answer.status_code == status
    assert answer["Strict-Transport-Security"].startswith("max-age=31536000")
    assert answer["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("site", "begins"),
    [
        ("https://desk.office.test", "https://desk.office.test/accounts/password/reset/"),
        ("", "http://testserver/accounts/password/reset/"),
    ],
)
def test_a_reset_link_leads_to_the_configured_site(client, viewer, settings, site, begins):
    settings.SITE_URL = site
    client.post("/accounts/password/reset/", {"email": viewer.email})
    run_worker()
    [link] = re.findall(r"https?://\S+", mail.outbox[0].body)
    assert link.startswith(begins)
