"""A form that makes a record from another one says what it cannot take along."""

from dataclasses import replace

import pytest

from dashboard.gateway import CONTACTS, LEADS, Gateway
from dashboard.gateway.records import record_of
from tests.helpers import text

pytestmark = pytest.mark.django_db
MORE = {"website": "zebra.example"}


@pytest.fixture
def beyond(monkeypatch):
    """The service sends a value that the reference lacks, and an address that cannot be read."""
    get, listed = Gateway.get, Gateway.list

    def changed(endpoint, record):
        return record_of(endpoint, {**record.raw, **MORE, "cstaddress": {"street": ["Main"]}})

    def list_all(gateway, endpoint, **asked):
        page = listed(gateway, endpoint, **asked)
        return replace(page, records=[changed(endpoint, each) for each in page.records])

    monkeypatch.setattr(Gateway, "get", lambda own, endpoint, number, **more: changed(
        endpoint, get(own, endpoint, number, **more)))  # fmt: skip
    monkeypatch.setattr(Gateway, "list", list_all)


def test_a_copy_says_what_is_not_copied(desk, gateway, beyond):
    made = gateway.create(CONTACTS, {"cstname": "Zoe", "contact_type": 1, "cstnotes": "Cash"}).id
    page = desk.get(f"/contacts/new/?copy={made}")
    assert page.context["form"]["cstnotes"].value() == "Cash"
    words = text(page)
    assert "Not copied: Address: " in words
    assert "Website: zebra.example." in words


def test_nothing_is_said_of_a_copy_that_has_everything(desk, gateway):
    made = gateway.create(CONTACTS, {"cstname": "Zoe", "contact_type": 1, "cstnotes": "Cash"}).id
    assert "Not copied" not in text(desk.get(f"/contacts/new/?copy={made}"))


def test_the_replacement_of_a_lead_says_what_is_lost(desk, gateway, beyond):
    lead = gateway.create(LEADS, {"cstname": "Zoe", "cstemail": "zoe@zebra.example"}).id
    changes = desk.get(f"/leads/{lead}/replace/").context["changes"]
    assert "Website is lost: zebra.example" in changes


def test_a_business_is_not_deleted_by_default_as_its_people_cannot_be_listed(desk, gateway):
    kept, other = (
        gateway.create(CONTACTS, {"cstname": name, "contact_type": 2}).id
        for name in ("Zebra Ltd", "Zebra Limited")
    )
    gateway.create(CONTACTS, {"cstname": "Zoe", "contact_type": 1, "contact_parent": other})
    page = desk.get(f"/contacts/{kept}/merge/?other={other}").content.decode()
    assert 'name="delete" value="1">' in page
