"""Switches of unpublished operations."""

import pytest

from dashboard.audit import services as audit
from dashboard.credentials.offered import switched_on
from tests.helpers import text

pytestmark = pytest.mark.django_db
ADDRESS = "/settings/service/"


def test_operations_are_off_unless_the_environment_switches_them_on(settings):
    assert switched_on() == frozenset()
    settings.API_UNPUBLISHED = frozenset({"tasks.update", "no.such"})
    assert switched_on() == {"tasks.update"}


def test_a_switch_applies_to_all_users_and_is_logged(client_of, administrator, caplog):
    page = client_of(administrator).post(ADDRESS, {"on": ["leads.get"]}, follow=True)
    assert "holds for everybody" in text(page)
    assert switched_on() == {"leads.get"}
    assert f"leads.get switched on by person {administrator.pk}" in caplog.text


def test_a_stored_switch_overrides_the_environment(client_of, administrator, settings):
    settings.API_UNPUBLISHED = frozenset({"tasks.update"})
    client_of(administrator).post(ADDRESS, {})
    assert switched_on() == frozenset()


def test_an_unknown_operation_cannot_be_switched_on(client_of, administrator):
    assert client_of(administrator).post(ADDRESS, {"on": ["deals.erase"]}).status_code == 200
    assert switched_on() == frozenset()


def test_every_change_is_listed_with_its_author(client_of, administrator):
    client = client_of(administrator)
    client.post(ADDRESS, {"on": ["leads.get"]})
    client.post(ADDRESS, {"on": ["leads.get"]})  # no change, so no entry
    page = text(client.post(ADDRESS, {}, follow=True))
    assert page.index("switched off by ada") < page.index("switched on by ada")
    assert page.count("switched o") == 2


def test_administrators_find_the_switches_in_the_history(client_of, administrator):
    client = client_of(administrator)
    client.post(ADDRESS, {"on": ["leads.get"]})
    assert "Read one lead off on" in text(client.get("/history/?resource=service"))
    assert "Read one lead" not in text(client.get("/history/?resource=staff"))
    assert not audit.of_workspace("").exists()
