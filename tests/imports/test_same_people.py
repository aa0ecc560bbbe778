"""Rows of people and businesses that exist already, and of those that may be others."""

import pytest

from dashboard.gateway import CONTACTS
from dashboard.imports import names as column_names
from dashboard.reader import find
from tests.imports.test_import import counts, send, upload
from tests.jobs.test_export_page import everything
from tests.page_forms import fields

HEAD = "Name,Email,Phone\n"


@pytest.fixture
def bert(gateway):
    body = {"cstname": "Bert Bell", "cstemail": "bert@k.example", "cstmobile": "+49 30 5849464"}
    return gateway.create(CONTACTS, {**body, "contact_type": 1}).id


@pytest.mark.parametrize(
    ("row", "status"),
    [
        ("BERT  BELL,BERT@k.example,", "exists"),
        ("Bert Bell,,030 5849464", "exists"),
        ("Bert\u00a0Bell,office@k.example,", "exists"),
        ("Bert Bell,bert@gmail.com,", "name"),
        ("Bert Bell,,", "name"),
        ("Anna Adler,bert@k.example,030 1234567", "email"),
        ("Anna Adler,anna@k.example,030/5849464", "phone"),
        ("Anna Adler,anna@k.example,030/5849465", "ready"),
    ],
)
def test_two_values_make_a_person_the_same_and_one_makes_a_pile(desk, bert, row, status):
    page = desk.get(upload(desk, f"{HEAD}{row}\n".encode()))
    assert counts(page) == {status: 1}


@pytest.mark.parametrize("domain", ["gmail.com", "yahoo.com.br", "hotmail.gr", "wp.pl", "web.de"])
def test_two_of_a_public_domain_with_one_name_may_be_two(desk, gateway, domain):
    body = {"cstname": "Jan Kowalski", "cstemail": f"jan.kowalski@{domain}", "contact_type": 1}
    gateway.create(CONTACTS, body)
    page = desk.get(upload(desk, f"{HEAD}Jan Kowalski,jkowalski82@{domain},\n"))
    assert counts(page) == {"name": 1}


def test_who_may_be_another_is_created_and_changes_who_is_there_only_where_one_says_so(
    desk, bert, gateway
):
    rows = "Anna,anna@k.example,0305849464\nCara,bert@k.example,\nBertram Bell,bert@k.example,\n"
    url = upload(desk, HEAD + rows)
    page = desk.get(url)
    desk.post(url, {**fields(page), "on_existing": "update"})
    page = desk.get(url)
    assert counts(page) == {"email": 2, "phone": 1}
    desk.post(url, {**fields(page), "same-4": str(bert)})
    page = desk.get(f"{url}?show=change")
    assert counts(page) == {"email": 1, "phone": 1, "change": 1}
    desk.post(url, {**fields(page), "same-4": ""})
    assert counts(desk.get(url)) == {"email": 2, "phone": 1}
    desk.post(url, {**fields(desk.get(url)), "same-4": str(bert)})
    send(desk, url)
    names = {one["cstname"] for one in everything(gateway, CONTACTS)}
    assert {"Anna", "Cara", "Bertram Bell"} <= names
    assert "Bert Bell" not in names


def test_only_the_record_that_was_shown_is_changed(desk, bert, gateway):
    other = gateway.create(CONTACTS, {"cstname": "Otto Other", "contact_type": 1}).id
    url = upload(desk, f"{HEAD}Cara,bert@k.example,\n")
    desk.post(url, {**fields(desk.get(url)), "same-2": str(other)})
    assert counts(desk.get(url)) == {"email": 1}


def test_colleagues_of_a_file_share_an_address_and_a_number(desk):
    ann, ben = "Ann,info@firm.example,030 777777\n", "Ben,info@firm.example,030 777777\n"
    page = desk.get(upload(desk, HEAD + ann + ben + ann))
    assert counts(page) == {"ready": 2, "duplicate_row": 1}
    page = desk.get(f"{page.request['PATH_INFO']}?show=ready")
    assert [row.note for row in page.context["rows"]] == ["", "Row 2 has the same email."]


def test_a_lead_with_the_number_of_a_contact_is_another_person(desk, bert):
    text = "Name,Phone\nLea Lund,+49305849464\nBert Bell,+49305849464\n"
    page = desk.get(upload(desk, text, resource="leads"))
    assert counts(page) == {"phone": 1, "exists": 1}
    assert 'name="same-2"' not in page.content.decode()


FIRMS = ["Ardmore\u00a0 Pharmacy Ltd", "O\u2019Shea \u2013 Sons", "Cafe\u0301 Zoe\u0308"]


@pytest.mark.parametrize("name", FIRMS)
def test_a_business_is_known_by_its_name_however_it_is_spelt(desk, gateway, name):
    there = {"Ardmore": "Ardmore Pharmacy Ltd", "O": "O'Shea - Sons", "Cafe": "Café Zoë"}
    title = next(title for start, title in there.items() if name.startswith(start))
    body = {"cstname": title, "contact_type": 2, "cstemail": "in@there.example"}
    number = gateway.create(CONTACTS, body).id
    assert counts(desk.get(upload(desk, f"Company,City\n{name},Cork\n".encode()))) == {"exists": 1}
    url = upload(desk, f"Name,Company,Email\nSue Low,{name},sue@low.example\n".encode())
    page = desk.get(url)
    [record] = page.context["records"].values()
    assert record.body["contact_parent"] == number


@pytest.mark.parametrize("title", FIRMS)
def test_a_business_that_is_spelt_in_another_way_in_the_service_is_found(desk, gateway, title):
    number = gateway.create(CONTACTS, {"cstname": title, "contact_type": 2}).id
    plain = {"A": "ardmore pharmacy ltd", "O": "O'Shea - Sons", "C": "CAFÉ ZOË"}[title[0]]
    page = desk.get(upload(desk, f"Name,Company\nSue Low,{plain}\n".encode()))
    [record] = page.context["records"].values()
    assert record.body["contact_parent"] == number


def test_a_near_name_is_offered(desk, gateway):
    number = gateway.create(CONTACTS, {"cstname": "Corrib Hotel & Sons", "contact_type": 2}).id
    page = desk.get(upload(desk, "Name,Company\nSue Low,Corrib Hotel and Sons GmbH\n"))
    [asked] = page.context["unmatched"]
    assert [*asked.options] == [str(number)]


def test_a_legal_form_suggests_a_business(desk):
    page = desk.get(upload(desk, "Name,Email\nMara Moor,m@moor.eu\nMoor & Heath Ltd,h@moor.eu\n"))
    notes = [row.note for row in page.context["rows"]]
    assert [bool(note) for note in notes] == [False, True]
    typed = {"field": "cstname", "value": "Moor & Heath GmbH"}
    assert "looks like a business" in desk.get("/contacts/known/", typed).content.decode()
    assert "looks like a business" not in desk.get("/leads/known/", typed).content.decode()


def test_a_name_that_many_are_like_is_unknown_and_not_ambiguous(desk, gateway, monkeypatch):
    monkeypatch.setattr(find, "MAX_ALIKE", 12)
    monkeypatch.setattr(column_names, "MAX_MATCHES", 12)
    for number in range(12):
        gateway.create(CONTACTS, {"cstname": f"Hotel {number}", "contact_type": 2})
    page = desk.get(upload(desk, "Name,Company\nSue Low,Hotel Nowhere\nSam Low,Hotel\n"))
    unknown, unclear = (row.errors["contact_parent"] for row in page.context["rows"])
    assert unknown.startswith("No match for")
    assert unclear.startswith("Too many matches for")
