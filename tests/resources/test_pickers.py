"""Choosing another record: matches, a new record in the form."""

import html
import re
from urllib.parse import parse_qs

import pytest

from dashboard.gateway import CONTACTS, INVOICES
from tests.conftest import every_profile
from tests.helpers import text
from tests.page_forms import fields

pytestmark = pytest.mark.django_db


@pytest.fixture
def zebras(gateway):
    """Two businesses and a person whose names begin with the same word."""
    named = (("Zebra Trading", 2), ("Zebra Travel", 2), ("Zebra Person", 1))
    return {
        name: gateway.create(CONTACTS, {"cstname": name, "contact_type": kind}).id
        for name, kind in named
    }


def typed(desk, **more):
    data = fields(desk.get("/deals/new/"))
    data.pop("cstid", None)
    return {**data, "deal_name": "Kept", "pipeline_id": "1", "cstid": "", "cstid-was": "", **more}


@every_profile
def test_matches_are_options_filtered_as_the_field_requires(desk, zebras):
    page = desk.get("/contacts/pick/?q=zebra&type=2")
    assert "Zebra Trading" in text(page)
    assert "Zebra Person" not in text(page)
    assert "Create “zebra”" in text(page)


def test_a_user_who_may_not_create_sees_no_new_record_option(client_of, with_keys, viewer, zebras):
    page = client_of(with_keys(viewer)).get("/contacts/pick/?q=zebra")
    assert "Zebra Trading" in text(page)
    assert "Create" not in text(page)


def test_a_failed_search_shows_a_message(desk, standin):
    standin.fault("status-500", operation="list")
    page = desk.get("/contacts/pick/?q=zebra")
    assert page.status_code == 200
    assert "Keep typing." in text(page)
    assert 'data-note="failed"' in page.content.decode()
    assert "Create" not in text(page)


def test_the_match_that_is_called_the_text_comes_first_and_is_marked(desk, gateway):
    for name in ("Zoe", "Zoe Zorn", "Zoe Zebu"):
        gateway.create(CONTACTS, {"cstname": name, "contact_type": 2})
    html = desk.get("/contacts/pick/?q=zoe").content.decode()
    names = re.findall(r'data-title="([^"]*)"( data-exact)?>', html)
    assert names == [("Zoe", " data-exact"), ("Zoe Zebu", ""), ("Zoe Zorn", "")]
    gateway.create(CONTACTS, {"cstname": "Zoe", "contact_type": 2})
    assert "data-exact" not in desk.get("/contacts/pick/?q=zoe").content.decode()


def test_a_full_name_or_a_number_selects_its_record(desk, zebras, sent):
    number = zebras["Zebra Trading"]
    for said in ("zebra trading", f"#{number}"):
        desk.post("/deals/new/", typed(desk, **{"cstid-text": said}))
    assert [body["cstid"] for body in sent("create", resource="deals")] == [number] * 2


def test_an_ambiguous_text_is_not_sent(desk, zebras, sent):
    page = desk.post("/deals/new/", typed(desk, **{"cstid-text": "zebra"}))
    assert page.status_code == 422
    assert "Choose one of the matches" in text(page)
    assert sent("create", resource="deals") == []


def test_a_changed_text_discards_the_selected_id(desk, zebras, sent):
    boxes = {
        "cstid": str(zebras["Zebra Travel"]),
        "cstid-was": "Zebra Travel",
        "cstid-text": "Zebra Trading",
    }
    desk.post("/deals/new/", typed(desk, **boxes))
    assert sent("create", resource="deals")[-1]["cstid"] == zebras["Zebra Trading"]


def test_a_failed_lookup_keeps_typed_input(desk, standin, sent):
    data = typed(desk, **{"cstid-text": "zebra"})
    standin.fault("status-500", operation="list")
    page = desk.post("/deals/new/", data)
    assert "t look up this name" in text(page)
    assert 'value="Kept"' in page.content.decode()


def test_an_untouched_reference_is_not_sent(desk, gateway, zebras, sent):
    body = {"cstname": "Zed", "contact_type": 1, "contact_parent": zebras["Zebra Travel"]}
    number = gateway.create(CONTACTS, body).id
    opened = fields(desk.get(f"/contacts/{number}/edit/"))
    opened |= {"contact_parent-text": "Zebra Travel", "contact_parent-was": "Zebra Travel"}
    desk.post(f"/contacts/{number}/edit/", {**opened, "cstname": "Zoe"})
    assert sent("update") == [{"cstname": "Zoe"}]


def test_an_invalid_new_record_gets_an_error_beside_its_field(desk, sent):
    page = desk.post("/contacts/pick/new/?prefix=cstid-new", {"cstid-new-cstname": ""})
    assert page.status_code == 422
    assert "Enter the name." in text(page)
    assert sent("create") == []


def test_a_record_created_by_script_returns_its_id_and_name(desk):
    fragment = desk.get("/contacts/pick/new/?prefix=cstid-new&name=Giraffe&contact_type=2")
    data = {"cstid-new-cstname": "Giraffe", "cstid-new-contact_type": "2"}
    data["quick-token"] = fragment.context["token"]
    page = desk.post("/contacts/pick/new/?prefix=cstid-new", data)
    assert page.status_code == 201
    assert 'data-title="Giraffe"' in page.content.decode()


def test_late_titles_replace_every_placeholder(desk, zebras):
    number = zebras["Zebra Trading"]
    page = desk.get(f"/titles/?contacts={number},999999&nonsense=1&deals=x")
    assert page.content.decode().strip() == (
        f"<span hx-swap-oob=\"innerHTML:[data-title='contacts-{number}']\">Zebra Trading</span>"
    )


def overdue_invoice(gateway, customer, due="2026-01-16"):
    line = {"item_id": 501, "item_name": "Hour", "quantity": 1, "price": 95, "type": "item"}
    days = {"transaction_date": "2026-01-02", "due_date": due}
    body = {"customer_id": customer, "template_id": 11, "items": [line], **days}
    return gateway.create(INVOICES, body).id


def offered(desk, address, text):
    """What the filter by customer offers on the list at this address for a text."""
    page = desk.get(address).content.decode()
    panel = html.unescape(re.search(r'data-src="([^"]*panel=filters)"', page)[1])
    filters = desk.get(panel, headers={"HX-Request": "true"}).content.decode()
    url = html.unescape(re.search(r'data-url="(/contacts/pick/[^"]*)"', filters)[1])
    sign = "&" if "?" in url else "?"
    matches = desk.get(f"{url}{sign}q={text}").content.decode()
    return re.findall(r'data-title="([^"]*)"', matches)


def test_the_list_of_what_is_overdue_offers_its_customers_first(desk, gateway):
    names = [f"Zebra {letter}" for letter in "ABCDEFGHIJKL"]
    ids = {
        name: gateway.create(CONTACTS, {"cstname": name, "contact_type": 2}).id for name in names
    }
    overdue_invoice(gateway, ids["Zebra A"], due="2026-01-16")
    overdue_invoice(gateway, ids["Zebra B"], due="2026-01-12")
    first = offered(desk, "/invoices/?due=overdue", "zebra")
    assert first[:2] == ["Zebra B", "Zebra A"]
    assert len(first) == len(set(first)) == 8
    assert offered(desk, "/invoices/?due=overdue", "zebra+c")[0] == "Zebra C"
    assert offered(desk, "/invoices/", "zebra")[0] == "Zebra L"


OTHER_SPELLINGS = [
    "HOTEL  O'BRIEN",
    "Hotel O\u2019Brien",
    "Hotel\u00a0O'Brien",
    "Hotel O\u200b'Brien",
]


@pytest.mark.parametrize("spelling", OTHER_SPELLINGS)
def test_a_name_is_found_in_another_spelling(desk, gateway, spelling):
    hotel = gateway.create(CONTACTS, {"cstname": "Hotel O'Brien", "contact_type": 2}).id
    assert str(hotel) in desk.get("/contacts/pick/", {"q": spelling}).content.decode()


@pytest.mark.parametrize(("typed", "calls"), [("no such", 1), ("nobody\u2019s own", 2)])
def test_a_key_makes_a_second_call_only_for_signs_that_have_other_spellings(
    desk, standin, typed, calls
):
    before = len(standin.ledger(operation="list"))
    desk.get("/contacts/pick/", {"q": typed})
    assert len(standin.ledger(operation="list")) == before + calls


def test_a_name_in_another_spelling_is_looked_for_by_its_whole_words(desk, standin):
    desk.get("/contacts/pick/", {"q": "Münchhausen Kay"})
    assert parse_qs(standin.ledger(operation="list")[-1]["query"])["search"] == ["Kay"]


@pytest.mark.parametrize("spelling", OTHER_SPELLINGS)
def test_a_name_typed_in_another_spelling_is_that_record(desk, gateway, sent, spelling):
    hotel = gateway.create(CONTACTS, {"cstname": "Hotel O'Brien", "contact_type": 2}).id
    desk.post("/deals/new/", typed(desk, **{"cstid-text": spelling}))
    assert [body["cstid"] for body in sent("create", resource="deals")] == [hotel]


def test_digits_are_a_name_and_an_id_only_behind_its_sign(desk, gateway, zebras, sent):
    stranger = zebras["Zebra Person"]
    page = desk.post("/deals/new/", typed(desk, **{"cstid-text": str(stranger)}))
    assert f"No contact matches “{stranger}”." in text(page)
    named = gateway.create(CONTACTS, {"cstname": str(stranger), "contact_type": 2}).id
    for written in (str(stranger), f"#{stranger}"):
        desk.post("/deals/new/", typed(desk, **{"cstid-text": written}))
    assert [body["cstid"] for body in sent("create", resource="deals")] == [named, stranger]
