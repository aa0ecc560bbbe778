"""A list that the service does not answer stands with what was asked for, and the way on."""

import pytest

from dashboard.accounts.models import User
from tests.helpers import text

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


def test_rows_that_are_shown_stay_where_htmx_reads_others(desk, standin):
    standin.fault("status-503", operation="list")
    response = desk.get("/contacts/?page=2", headers={"HX-Request": "true"})
    assert response.status_code == 503
    assert response.headers["HX-Retarget"] == "#alerts"


def test_somebody_without_keys_is_led_to_connection(client, viewer: User, standin):
    client.force_login(viewer)
    assert "Go to Connection" in text(client.get("/contacts/"))
