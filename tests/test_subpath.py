"""The dashboard under a sub-path, such as https://intranet.example.com/desk/."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import set_script_prefix

from dashboard import markup
from dashboard.declare.registry import RESOURCES
from dashboard.gateway import Gateway

PREFIX = "/desk"
ADDRESS = re.compile(
    r'\s(?:href|src|action|formaction|hx-get|hx-post|data-url|data-new-url|data-new-script)="([^"]*)"'
)
PAGES = [
    "/accounts/",
    "/accounts/preferences/",
    "/accounts/password/change/",
    "/accounts/sessions/",
    "/settings/keys/",
    "/settings/keys/people/",
    "/settings/lists/",
    "/settings/lists/not-named-yet/",
    "/settings/documents/",
    "/settings/service/",
    "/unfinished/",
    "/unsure/",
    "/history/",
    *(f"/{each.name}/{page}" for each in RESOURCES.values() for page in ("", "new/")),
]


@pytest.fixture
def under_prefix(settings: Any) -> Iterator[None]:
    """The settings and the script prefix that a server sets for a site below PREFIX."""
    settings.FORCE_SCRIPT_NAME = PREFIX
    set_script_prefix(f"{PREFIX}/")
    settings.STATIC_URL = f"{PREFIX}/static/"
    forget_addresses()
    yield
    set_script_prefix("/")
    forget_addresses()


def forget_addresses() -> None:
    """They are those of a process, and a site is served under one path."""
    for kept in (markup.asset, markup.icon, markup.script, markup.style, markup._pattern):
        kept.cache_clear()


@pytest.fixture
def admin_client(client_of: Callable, with_keys: Callable, administrator: Any) -> Client:
    return client_of(with_keys(administrator))


def outside(page: bytes) -> list[str]:
    """The addresses on a page that leave the sub-path."""
    found = ADDRESS.findall(page.decode())
    assert found
    return [url for url in found if url.startswith("/") and not url.startswith(f"{PREFIX}/")]


def test_every_link_of_a_page_stays_below_the_prefix(admin_client, under_prefix, subtests):
    for path in PAGES:
        with subtests.test(path):
            page = admin_client.get(path)
            assert page.status_code == 200
            assert not outside(page.content)


@pytest.mark.parametrize("resource", RESOURCES.values(), ids=lambda each: each.name)
def test_the_pages_of_a_record_stay_below_the_prefix(
    admin_client, under_prefix, gateway: Gateway, resource
):
    record = gateway.list(resource.endpoint, page_size=1).records[0]
    for action in ("", "edit", "history"):
        page = admin_client.get(f"/{resource.name}/{record.id}/{action + '/' if action else ''}")
        assert page.status_code in (200, 404, 501), action
        assert not outside(page.content)


def test_the_redirect_after_saving_stays_below_the_prefix(admin_client, under_prefix):
    form = admin_client.get("/contacts/new/").context
    data = {"cstname": "Zoe", "contact_type": "1", "token": form["token"], "draft": form["draft"]}
    saved = admin_client.post("/contacts/new/", data)
    assert saved.status_code == 302
    assert saved["Location"].startswith(f"{PREFIX}/contacts/")


def test_the_redirect_to_sign_in_stays_below_the_prefix(client, under_prefix, db):
    assert client.get("/contacts/")["Location"].startswith(f"{PREFIX}/accounts/login/")
