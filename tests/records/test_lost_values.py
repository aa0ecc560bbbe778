"""A form that makes a record from another one says what it cannot take along."""

from dataclasses import replace

import pytest

from dashboard.gateway import CONTACTS, INVOICES, LEADS, Gateway
from dashboard.gateway.records import record_of
from dashboard.schema.record_form import EMPTY
from dashboard.schema.registry import RESOURCES
from dashboard.writes.models import Write
from tests.helpers import ask_to_delete, delete_now, text

pytestmark = pytest.mark.django_db
UNREADABLE = {"cstaddress": {"street": ["Main"]}, "cstemail": {"work": ["zoe"]}}
UNKNOWN = {"website": "zebra.example", "loyalty_points": 412, "owner_note": "Rings twice"}
LOST = ["Website: zebra.example", "Loyalty points: 412", "Owner note: Rings twice"]
VALUES = {
    "string": "Words",
    "email": "zoe@zebra.example",
    "integer": 1,
    "number": "5.00",
    "boolean": True,
    "date": "2026-11-03",
    "datetime": "2026-11-03 10:00:00",
    "timestamp": 1_790_000_000,
    "integers": [1],
    "strings": ["VIP"],
    "object": {"Account no.": "41"},
}


def send_changed(monkeypatch, change):
    """Let the service send each record as change(endpoint, record) makes it."""
    get, listed = Gateway.get, Gateway.list

    def read(gateway, endpoint, number, **more):
        return change(endpoint, get(gateway, endpoint, number, **more))

    def list_all(gateway, endpoint, **asked):
        page = listed(gateway, endpoint, **asked)
        return replace(page, records=[change(endpoint, each) for each in page.records])

    monkeypatch.setattr(Gateway, "get", read)
    monkeypatch.setattr(Gateway, "list", list_all)


@pytest.fixture
def full(monkeypatch):
    """Every record has each field of the reference, and three more."""

    def filled(endpoint, record):
        fields = (*endpoint.fields, *endpoint.create)
        made = {one.name: VALUES[one.kind] for one in fields if one.kind in VALUES}
        codes = {one.name: one.choices[0][0] for one in fields if one.choices}
        own = {name: value for name, value in record.raw.items() if value not in EMPTY}
        return record_of(endpoint, {**made, **codes, **own, **UNKNOWN})

    send_changed(monkeypatch, filled)


def test_a_copy_says_what_cannot_be_read(desk, gateway, monkeypatch):
    made = gateway.create(CONTACTS, {"cstname": "Zoe", "contact_type": 1, "cstnotes": "Cash"}).id
    send_changed(
        monkeypatch,
        lambda endpoint, record: record_of(endpoint, {**record.raw, **UNREADABLE}),
    )
    page = desk.get(f"/contacts/new/?copy={made}")
    assert page.context["form"]["cstnotes"].value() == "Cash"
    assert "Not copied: Email: " in text(page)
    assert "; Address: " in text(page)


def test_nothing_is_said_of_a_copy_that_has_everything(desk, gateway):
    made = gateway.create(CONTACTS, {"cstname": "Zoe", "contact_type": 1, "cstnotes": "Cash"}).id
    assert "Not copied" not in text(desk.get(f"/contacts/new/?copy={made}"))


def test_a_business_is_not_deleted_by_default_as_its_people_cannot_be_listed(desk, gateway):
    kept, other = (
        gateway.create(CONTACTS, {"cstname": name, "contact_type": 2}).id
        for name in ("Zebra Ltd", "Zebra Limited")
    )
    gateway.create(CONTACTS, {"cstname": "Zoe", "contact_type": 1, "contact_parent": other})
    page = desk.get(f"/contacts/{kept}/merge/?other={other}").content.decode()
    assert 'name="delete" value="1">' in page


@pytest.mark.usefixtures("full")
@pytest.mark.parametrize("name", RESOURCES)
def test_whatever_makes_a_record_of_another_names_all_that_no_form_takes_along(
    desk, gateway, zebra, name
):
    resource = RESOURCES[name]
    number = zebra if name == "contacts" else gateway.list(resource.endpoint).records[-1].id
    words = f"Not copied: {'; '.join(LOST)}."
    assert words in text(desk.get(f"/{name}/new/?copy={number}"))
    if "delete" in resource.endpoint.operations:
        delete_now(desk, ask_to_delete(desk, f"/{name}/{number}/"))
        assert words in text(desk.get(f"/{name}/new/?again={Write.objects.get().pk}"))


@pytest.mark.usefixtures("lists", "full")
def test_the_replacement_of_a_lead_names_all_that_no_form_takes_along(desk, gateway):
    number = gateway.list(LEADS).records[0].id
    changes = desk.get(f"/leads/{number}/replace/").context["changes"]
    assert [each for each in changes if " is lost: " in each] == [
        each.replace(": ", " is lost: ", 1) for each in LOST
    ]


@pytest.mark.usefixtures("lists", "full")
def test_merging_names_all_that_no_form_takes_along(desk, gateway, monkeypatch):
    kept, other = (each.id for each in gateway.list(CONTACTS).records[:2])
    read_full = Gateway.get

    def read(gateway, endpoint, number, **more):
        if number == kept:
            return record_of(endpoint, {"cstid": kept, "cstname": "Zoe", "contact_type": 1})
        return read_full(gateway, endpoint, number, **more)

    monkeypatch.setattr(Gateway, "get", read)
    page = desk.get(f"/contacts/{kept}/merge/?other={other}")
    shown = {each.name or each.label for each in (*page.context["lost"], *page.context["choices"])}
    documented = {each.name for each in CONTACTS.create} - {"contact_type", "cst_tag_id"}
    assert shown >= {*documented, "tag_ids", *(each.partition(":")[0] for each in LOST)}
    assert "can't be added to Zoe" in text(page)


@pytest.mark.usefixtures("lists")
def test_the_copy_of_a_document_says_that_its_lines_cannot_be_read(desk, gateway, monkeypatch):
    number = gateway.list(INVOICES).records[0].id
    send_changed(
        monkeypatch,
        lambda endpoint, record: record_of(endpoint, {**record.raw, "items": "none"}),
    )
    assert "Not copied: Lines: " in text(desk.get(f"/invoices/new/?copy={number}"))
