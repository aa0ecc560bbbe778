"""A list that the service does not answer stands with what was asked for, and the way on."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from dashboard.gateway.api import CONTACTS
from dashboard.people.models import User
from tests.helpers import text
from tests.workspaces import connect

pytestmark = pytest.mark.django_db


def test_a_list_that_was_not_read_keeps_its_search_and_says_why(desk, standin):
    standin.fault("status-503", operation="list")
    response = desk.get("/contacts/?search=acorn&type=2")
    page = response.content.decode()
    assert response.status_code == 503
    assert 'value="acorn"' in page
    assert "Remove Type" in page
    assert '<a class="button main" href="/contacts/?search=acorn&amp;type=2">Try again</a>' in page
    assert "No contacts" not in page


def test_somebody_without_keys_is_led_to_connection(client, viewer: User, standin):
    client.force_login(viewer)
    assert "Go to Connection" in text(client.get("/contacts/"))


def test_a_list_that_was_read_before_shows_that_and_when(desk, standin, gateway):
    first = gateway.list(CONTACTS).records[0]
    page_of_rows = text(desk.get("/contacts/?columns=cstemail"))
    standin.fault("status-503", operation="list")
    response = desk.get("/contacts/")
    page = response.content.decode()
    assert response.status_code == 503
    assert f'<a href="/contacts/{first.id}/"' in page
    assert re.search(r"Showing what was read at \d\d:\d\d", text(response))
    assert '<a class="button small" href="/contacts/">Try again</a>' in page
    assert count_of(page_of_rows) == count_of(text(response))
    assert "Showing what was read" not in text(desk.get("/contacts/?page=2"))


def test_the_same_rows_are_stored_once_a_minute(desk, standin, time_machine):
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
    for seconds, stored_at in ((0, "12:00"), (40, "12:00"), (100, "12:01")):
        time_machine.move_to(noon + timedelta(seconds=seconds), tick=False)
        assert desk.get("/contacts/").status_code == 200
        standin.fault("status-503", operation="list")
        assert f"Showing what was read at {stored_at}" in text(desk.get("/contacts/"))
        standin.reset(data=False)


@pytest.mark.parametrize("asked", ["?search=a", "?page=2"])
def test_searches_and_further_pages_take_no_room_of_the_cache(desk, standin, asked):
    assert desk.get(f"/contacts/{asked}").status_code == 200
    standin.fault("status-503", operation="list")
    assert "Showing what was read" not in text(desk.get(f"/contacts/{asked}"))


def test_rows_that_were_read_are_shown_to_their_key_pair_alone(desk, manager, standin):
    assert desk.get("/contacts/").status_code == 200
    access, secret = standin.keys["acme"][1]
    connect(manager, access=access, secret=secret, workspace="Acme")
    standin.fault("status-503", operation="list")
    assert "Showing what was read" not in text(desk.get("/contacts/"))


def count_of(page: str) -> list[str]:
    return re.findall(r"[\d,]+ contacts", page)
