"""Columns that hold entries of a list: names without an entry, and entries of records there."""

import pytest

from dashboard.gateway import CONTACTS
from dashboard.imports import import_file
from dashboard.imports.models import Import
from dashboard.office import reference_lists as catalogue
from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind
from dashboard.people.permissions import ADMINISTRATOR, set_role
from tests.conftest import every_profile
from tests.imports.test_import import counts, send, upload, used
from tests.page_forms import fields

VIP, OLD = 41, 42  # tags of the stand-in


@pytest.fixture(autouse=True)
def _tags(db):
    rows = [{"code": str(VIP), "name": "VIP"}, {"code": str(OLD), "name": "Newsletter"}]
    save_entries("Acme", Kind.CONTACT_TAG, rows)


def named(page):
    return [(one.text, one.rows) for one in page.context["unmatched"]]


def number_of(text, number, name="cst_tag_id"):
    return {"means-field": [name], "means-text": [text], "means": [""], "means-number": [number]}


def test_each_of_several_names_of_a_cell_is_asked_for_once(desk, sent):
    rows = 'Ann,"VIP, Fair 2026"\nBea,Fair 2026\nCid,"Fair 2026, Golf"\n'
    url = upload(desk, f"Name,Tags\n{rows}")
    page = desk.get(url)
    assert named(page) == [("Fair 2026", 3), ("Golf", 1)]
    chosen = {"means-field": ["cst_tag_id"] * 2, "means-text": ["Fair 2026", "Golf"]}
    desk.post(url, {**fields(page), **chosen, "means": [str(OLD), ""], "means-number": ["", "41"]})
    page = desk.get(url)
    assert counts(page) == {"ready": 3}
    send(desk, url)
    tags = [body["cst_tag_id"] for body in sent("create", resource="contacts")[-3:]]
    assert tags == [[VIP, OLD], [OLD], [OLD, VIP]]


def test_an_administrator_adds_a_name_to_the_list_by_its_number(desk, manager):
    set_role(manager, ADMINISTRATOR)
    url = upload(desk, "Name,Tags\nAnn,Fair 2026\nBea,Fair 2026\n")
    page = desk.get(url)
    assert "to add it to the list" in page.content.decode()
    desk.post(url, {**fields(page), **number_of("Fair 2026", "9001")})
    page = desk.get(url)
    assert "Fair 2026 was added to the list: Contact tags." in page.content.decode()
    assert catalogue.label("Acme", Kind.CONTACT_TAG, 9001) == "Fair 2026"
    assert counts(page) == {"ready": 2}


def test_a_manager_sends_the_number_and_leaves_the_list_as_it_is(desk):
    url = upload(desk, "Name,Tags\nAnn,Fair 2026\n")
    page = desk.get(url)
    assert "An administrator can name it later" in page.content.decode()
    desk.post(url, {**fields(page), **number_of("Fair 2026", "9001")})
    assert counts(desk.get(url)) == {"ready": 1}
    assert catalogue.entry("Acme", Kind.CONTACT_TAG, 9001) is None


def test_a_number_that_has_a_name_keeps_it(desk, manager):
    set_role(manager, ADMINISTRATOR)
    url = upload(desk, "Name,Tags\nAnn,Fair 2026\n")
    desk.post(url, {**fields(desk.get(url)), **number_of("Fair 2026", str(VIP))})
    assert catalogue.label("Acme", Kind.CONTACT_TAG, VIP) == "VIP"
    assert counts(desk.get(url)) == {"ready": 1}


def change(desk, text):
    url = upload(desk, text)
    desk.post(url, {**fields(desk.get(url)), "on_existing": "update"})
    page = desk.get(url)
    assert counts(page) == {"change": 1}
    send(desk, url)
    return page


@every_profile
def test_tags_of_the_file_are_added_to_those_that_a_record_has(desk, gateway):
    body = {"cstname": "Uma Umber", "contact_type": 2, "cstemail": "uma@umber.example"}
    made = gateway.create(CONTACTS, {**body, "cst_tag_id": [OLD]}).id
    if "tag_ids" not in gateway.get(CONTACTS, made):
        pytest.skip("this profile does not tell tags")
    page = change(desk, "Email,Tags,Notes\numa@umber.example,VIP,Likes tea\n")
    assert (page.context["added"], page.context["kept"]) == (["Tags"], ["Notes"])
    assert list(gateway.get(CONTACTS, made)["tag_ids"]) == [OLD, VIP]


def test_tags_that_the_service_does_not_tell_are_not_replaced(desk, gateway, sent, monkeypatch):
    body = {"cstname": "Uma Umber", "contact_type": 2, "cstemail": "uma@umber.example"}
    gateway.create(CONTACTS, {**body, "cst_tag_id": [OLD]})
    standin_get = type(gateway).get

    def without_tags(self, endpoint, *args, **kwargs):
        record = standin_get(self, endpoint, *args, **kwargs)
        record.raw.pop("tag_ids", None)
        return record

    monkeypatch.setattr(type(gateway), "get", without_tags)
    change(desk, "Email,Tags\numa@umber.example,VIP\n")
    assert sent("update", resource="contacts") == []


def test_a_page_that_is_only_looked_at_stores_nothing(desk):
    url = upload(desk, "Name,Email\nPia,pia@example.com\n")
    desk.get(url)
    before = Import.objects.values().get()
    assert used(desk.get(url)) == ["cstname", "cstemail"]
    assert Import.objects.values().get() == before
    desk.post(url, fields(desk.get(url)))
    assert import_file.settings_of(Import.objects.get()).fields == {"0": "cstname", "1": "cstemail"}


def test_a_long_list_is_searched_for_the_meaning_of_a_name(desk, sent):
    rows = [{"code": str(code), "name": f"Fair {code}"} for code in range(1001, 1301)]
    save_entries("Acme", Kind.CONTACT_TAG, rows)
    url = upload(desk, "Name,Tags\nAnn,Feir 1150\n")
    page = desk.get(url)
    assert "Fair 1001" not in page.content.decode()
    desk.post(url, {**fields(page), **number_of("Feir 1150", "fair 1150")})
    send(desk, url)
    assert sent("create", resource="contacts")[-1]["cst_tag_id"] == [1150]
