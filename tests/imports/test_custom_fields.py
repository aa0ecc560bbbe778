"""Columns of a file go to the custom fields that their headings name."""

import pytest

from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind, ValueType
from tests.imports.test_import import counts, mapped, send, upload
from tests.page_forms import fields

HEAD = "Name,Region,Visits,Since,Partner\n"
TARGETS = ["cstname", "custom:Region", "custom:Visits", "custom:Since", "custom:Partner"]
WORDS = {
    "Region": {"value_type": ValueType.CHOICE, "choices": ["North", "South"]},
    "Visits": {"value_type": ValueType.NUMBER},
    "Since": {"value_type": ValueType.DATE},
    "Partner": {"value_type": ValueType.YES_NO},
}


@pytest.fixture(autouse=True)
def _custom_fields(db):
    rows = [{"code": name, "name": name, **about} for name, about in WORDS.items()]
    for kind in (Kind.CONTACT_FIELD, Kind.LEAD_FIELD):
        save_entries("Acme", kind, rows)


@pytest.mark.parametrize("resource", ["contacts", "leads"])
def test_custom_fields_are_sent_with_a_new_record(desk, sent, resource):
    rows = "Ann,south,12.5,14/03/2026,yes\nBea,East,many,soon,maybe\n"
    url = upload(desk, HEAD + rows, resource=resource)
    page = desk.get(url)
    assert mapped(page) == TARGETS
    assert counts(page) == {"needs_fixing": 1, "ready": 1}
    assert sorted(page.context["rows"][0].errors) == sorted(TARGETS[1:])
    edits = zip(TARGETS[1:], ["North", "3", "1 Apr 2026", "False"], strict=True)
    cells = {f"cell-3-{name}": text for name, text in edits}
    desk.post(url, {**fields(page), **cells, "cell-3-custom:Region": "West"})
    page = desk.get(url)
    assert page.context["rows"][0].errors == {"custom:Region": "Choose one of North, South."}
    desk.post(url, {**fields(page), **cells})
    send(desk, url)
    ann, bea = (body["custom_fields"] for body in sent("create", resource=resource)[-2:])
    assert ann == {"Region": "South", "Visits": 12.5, "Since": "2026-03-14", "Partner": True}
    assert bea == {"Region": "North", "Visits": 3, "Since": "2026-04-01", "Partner": False}


def test_deals_have_none(desk):
    page = desk.get(upload(desk, "Name,Region\nRoof,South\n", resource="deals"))
    assert mapped(page) == ["deal_name", ""]
