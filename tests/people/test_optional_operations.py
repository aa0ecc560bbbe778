"""Switches of unpublished operations, which hold for one workspace."""

import pytest

from dashboard.gateway import LEADS
from dashboard.people.keys import gateway_for, remove, switch, switched_on
from dashboard.people.models import User
from dashboard.writes import history
from tests.administration.pages import with_pair
from tests.helpers import text
from tests.page import InspectingClient as Client
from tests.workspaces import of_name

ADDRESS = "/settings/service/"


@pytest.fixture
def office(client_of, administrator) -> Client:
    with_pair(administrator, "Acme")
    return client_of(administrator)


@pytest.mark.django_db
def test_operations_are_off_unless_the_environment_switches_them_on(settings):
    assert switched_on(of_name("Acme")) == frozenset()
    settings.API_UNPUBLISHED = frozenset({"tasks.update", "no.such"})
    assert switched_on(of_name("Acme")) == {"tasks.update"}


def test_a_switch_applies_to_all_of_the_workspace(office, viewer):
    page = office.post(ADDRESS, {"on": ["leads.get"]}, follow=True)
    assert "Saved for everyone in Acme" in text(page)
    assert switched_on(of_name("Acme")) == {"leads.get"}
    assert gateway_for(with_pair(viewer, "Acme")).supports(LEADS, "get")


def test_another_workspace_keeps_its_switches_and_its_people_see_no_change(
    office, editor, manager, client_of
):
    with_pair(manager, "Globex")
    switch(of_name("Globex"), frozenset({"tasks.update"}))
    office.post(ADDRESS, {"on": ["leads.get"]})
    assert switched_on(of_name("Globex")) == {"tasks.update"}
    assert not gateway_for(with_pair(editor, "Globex")).supports(LEADS, "get")


def test_without_keys_it_asks_to_connect_them(office, administrator):
    remove(administrator)
    assert "Connect the CRM first" in text(office.get(ADDRESS))
    assert office.post(ADDRESS, {"on": ["leads.get"]}).status_code == 424
    assert switched_on(of_name("Acme")) == frozenset()


def test_a_stored_switch_overrides_the_environment(office, settings):
    settings.API_UNPUBLISHED = frozenset({"tasks.update"})
    office.post(ADDRESS, {})
    assert switched_on(of_name("Acme")) == frozenset()
    assert switched_on(of_name("Globex")) == {"tasks.update"}


def test_an_unknown_operation_cannot_be_switched_on(office):
    assert office.post(ADDRESS, {"on": ["deals.erase"]}).status_code == 200
    assert switched_on(of_name("Acme")) == frozenset()


def test_administrators_of_the_workspace_find_the_switches_in_the_history(
    office, client_of, administrator
):
    for _ in range(2):
        office.post(ADDRESS, {"on": ["leads.get"]})
    page = "/history/?resource=service"
    assert text(office.get(page)).count("Read one lead: off on") == 1
    assert "Read one lead" not in text(office.get("/history/?resource=staff"))
    assert not history.of_workspace("Acme").events.exists()
    with_pair(administrator, "Globex")
    assert "Read one lead: off on" not in text(office.get(page))
    User.objects.filter(pk=administrator.pk).update(is_superuser=True)
    assert "Read one lead: off on" in text(office.get(page))
