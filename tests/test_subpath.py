"""The dashboard under a sub-path, such as https://intranet.example.com/desk/."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.template import engines
from django.template.loader import render_to_string
from django.test import Client
from django.urls import set_script_prefix

from dashboard.core import templates
from dashboard.site import shell
from tests.every_page import every_path

PREFIX = "/desk"
ADDRESS = re.compile(
    r'\s(?:href|src|action|formaction|hx-get|hx-post|data-url|data-new-url)="([^"]*)"'
)


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
    scripts = templates.import_map, templates.module, templates.script
    drawn = templates.asset, templates.icon, templates.style, templates._pattern, shell._menu
    for kept in (*scripts, *drawn):
        kept.cache_clear()
    engines["jinja2"].env.cache.clear()


@pytest.fixture
def admin_client(client_of: Callable, with_keys: Callable, administrator: Any) -> Client:
    return client_of(with_keys(administrator))


@pytest.fixture
def addresses(admin_client: Client, administrator: Any) -> list[str]:
    return [*every_path(administrator).values()]


@pytest.mark.slow
def test_every_link_of_a_page_stays_below_the_prefix(admin_client, addresses, under_prefix):
    linked = 0
    for path in addresses:
        page = admin_client.get(path)
        if not page.streaming and page["Content-Type"].startswith("text/html"):
            found = ADDRESS.findall(page.content.decode())
            linked += len(found)
            outside = [url for url in found if url[:1] == "/" and url[:6] != f"{PREFIX}/"]
            assert set(outside) <= {"/"}, path  # the place of the rows of every_page.py
    assert linked > 1000


def test_the_redirect_after_saving_stays_below_the_prefix(admin_client, under_prefix):
    form = admin_client.get("/contacts/new/").context
    data = {"cstname": "Zoe", "contact_type": "1", "token": form["token"], "draft": form["draft"]}
    saved = admin_client.post("/contacts/new/", data)
    assert saved.status_code == 302
    assert saved["Location"].startswith(f"{PREFIX}/contacts/")


def test_the_redirect_to_sign_in_stays_below_the_prefix(client, under_prefix, db):
    assert client.get("/contacts/")["Location"].startswith(f"{PREFIX}/accounts/login/")


def test_the_addresses_of_templates_that_are_prepared_stay_below_the_prefix(under_prefix):
    set_script_prefix("/")  # no request has come yet
    templates.prepare_templates()
    assert f'href="{PREFIX}/"' in render_to_string("404.html")
