"""Forms, lists and pages of deals."""

import re
from html import unescape

import pytest

from dashboard.gateway import CONTACTS, DEALS, Gateway
from dashboard.gateway.records import record_of
from dashboard.office import reference_lists
from dashboard.office.kinds import Kind
from dashboard.standin.reference_data import reference_data
from tests.conftest import every_profile
from tests.helpers import text
from tests.page_forms import fields

pytestmark = pytest.mark.django_db


@pytest.fixture
def company(gateway):
    return gateway.create(CONTACTS, {"cstname": "Zebra Trading", "contact_type": 2}).id


@pytest.fixture
def person(gateway, company):
    body = {"cstname": "Zoe Zebra", "contact_type": 1, "contact_parent": company}
    return gateway.create(CONTACTS, body).id


@pytest.fixture
def deal(gateway, company):
    body = {"deal_name": "Stripes", "pipeline_id": 2, "cstid": company, "deal_amount": 900}
    return gateway.create(DEALS, body).id


def begun(desk, **typed):
    return {**fields(desk.get("/deals/new/")), **typed}


@every_profile
def test_an_edit_sends_changed_and_required_fields(desk, deal, company, sent):
    opened = fields(desk.get(f"/deals/{deal}/edit/"))
    page = desk.post(f"/deals/{deal}/edit/", {**opened, "deal_source": "Fair"}, follow=True)
    assert "Your changes were saved" in text(page)
    assert sent("update") == [
        {"deal_name": "Stripes", "pipeline_id": 2, "cstid": company, "deal_source": "Fair"}
    ]


def test_unchanged_required_fields_are_sent_with_their_current_values(
    desk, deal, gateway, company, sent
):
    opened = fields(desk.get(f"/deals/{deal}/edit/"))
    gateway.update(DEALS, deal, {"deal_name": "Renamed", "pipeline_id": 2, "cstid": company})
    desk.post(f"/deals/{deal}/edit/", {**opened, "deal_source": "Fair"})
    assert sent("update")[-1]["deal_name"] == "Renamed"


def test_a_deal_started_from_a_contact_is_linked_to_its_company(desk, company, person):
    from_business = desk.get(f"/deals/new/?contact={company}").context["form"]
    assert from_business["cstid"].value() == str(company)
    from_person = desk.get(f"/deals/new/?contact={person}").context["form"]
    assert from_person["cstid"].value() == company
    assert from_person["deal_contact_id"].value() == str(person)
    assert 'value="Zoe Zebra"' in desk.get(f"/deals/new/?contact={person}").content.decode()


def test_contacts_of_the_company_are_listed_first(desk, gateway, company, person):
    gateway.create(CONTACTS, {"cstname": "Zoe Aaron", "contact_type": 1})
    page = desk.get(f"/contacts/pick/?type=1&q=zoe&within={company}")
    shown = text(page)
    assert shown.index("Zoe Zebra") < shown.index("Zoe Aaron")
    assert "belongs to Zebra Trading" in shown


def test_a_copy_starts_with_the_values_of_the_deal(desk, deal, company):
    form = desk.get(f"/deals/new/?copy={deal}").context["form"]
    assert form["deal_name"].value() == "Stripes"
    assert form["cstid"].value() == str(company)
    assert form["pipeline_id"].value() == "2"


def test_a_new_deal_starts_with_the_last_pipeline_and_currency(desk, company):
    chosen = {"pipeline_id": "3", "deal_amount_currency": "2"}
    desk.post("/deals/new/", begun(desk, deal_name="Stripes", cstid=company, **chosen))
    form = desk.get("/deals/new/").context["form"]
    assert form["pipeline_id"].value() == "3"
    assert form["deal_amount_currency"].value() == "2"
    assert not form["deal_name"].value()


def test_a_concurrent_change_of_the_company_is_shown_by_name(desk, deal, gateway, company):
    other = gateway.create(CONTACTS, {"cstname": "Lion Ltd", "contact_type": 2}).id
    third = gateway.create(CONTACTS, {"cstname": "Bear Ltd", "contact_type": 2}).id
    opened = fields(desk.get(f"/deals/{deal}/edit/"))
    gateway.update(DEALS, deal, {"deal_name": "Stripes", "pipeline_id": 2, "cstid": other})
    page = desk.post(f"/deals/{deal}/edit/", {**opened, "cstid": str(third)})
    assert page.status_code == 409
    assert all(name in text(page) for name in ("Zebra Trading", "Lion Ltd", "Bear Ltd"))


def test_the_chosen_owner_is_shown_if_the_service_sends_no_name(
    desk, gateway, company, lists, monkeypatch
):
    body = {"deal_name": "Owned", "pipeline_id": 1, "cstid": company, "deal_owner_id": 22}
    deal = gateway.create(DEALS, body).id
    [owner] = [one for one in reference_data("acme")["users"] if one["id"] == 22]
    assert f"Owner {owner['name']}" in text(desk.get(f"/deals/{deal}/"))
    raw = {**gateway.get(DEALS, deal).raw, "owner": None}
    monkeypatch.setattr(Gateway, "get", lambda *_: record_of(DEALS, raw))
    assert f"Owner {owner['name']}" in text(desk.get(f"/deals/{deal}/"))


@pytest.fixture
def customer(gateway):
    """A private customer, and a business whose name contains hers."""
    gateway.create(CONTACTS, {"cstname": "Sarah Johnson Flowers", "contact_type": 2})
    return gateway.create(CONTACTS, {"cstname": "Sarah Johnson", "contact_type": 1}).id


def retyped(page, name):
    data = fields(page)
    data.pop("cstid", None)
    return {**data, "cstid-was": "", "cstid-text": name}


def test_the_company_of_a_deal_may_be_a_person(desk, gateway, customer, sent):
    data = {**retyped(desk.get("/deals/new/"), "Sarah Johnson"), "deal_name": "Roses"}
    page = desk.post("/deals/new/", {**data, "pipeline_id": "2"}, follow=True)
    assert "Deal Roses was created" in text(page)
    assert sent("create")[-1]["cstid"] == customer
    deal = page.redirect_chain[-1][0]
    edited = {**retyped(desk.get(f"{deal}edit/"), "Sarah Johnson"), "deal_amount": "7"}
    assert desk.post(f"{deal}edit/", edited).status_code == 302
    assert sent("update")[-1]["cstid"] == customer


def test_businesses_come_first_among_the_matches_of_a_company(desk, gateway, customer):
    for number in range(9):
        gateway.create(CONTACTS, {"cstname": f"Sarah {number}", "contact_type": 1})
    for url, headers in (
        ("/deals/new/", {}),
        ("/deals/panel/?panel=filters", {"HX-Request": "true"}),
    ):
        page = desk.get(url, headers=headers).content.decode()
        pick = re.search(r'data-url="([^"]*)"[^>]*data-name="cstid"', page)
        matches = desk.get(f"{unescape(pick[1])}&q=sarah").context["matches"]
        assert matches[0].title == "Sarah Johnson Flowers"
        assert len(matches) == 8
        exact = desk.get(f"{unescape(pick[1])}&q=sarah+johnson").context["matches"]
        assert [one.title for one in exact] == ["Sarah Johnson", "Sarah Johnson Flowers"]


def test_a_business_behind_many_people_comes_first_among_the_matches(desk, gateway, standin):
    for number in range(60):
        gateway.create(CONTACTS, {"cstname": f"Zita {number}", "contact_type": 1})
    business = gateway.create(CONTACTS, {"cstname": "Zita & Sons", "contact_type": 2})
    asked = len(standin.ledger(operation="list"))
    matches = desk.get("/contacts/pick/?prefer=type:2&q=zita").context["matches"]
    assert (matches[0].id, len(matches)) == (business.id, 8)
    assert len(standin.ledger(operation="list")) == asked + 2
    others = desk.get("/contacts/pick/?prefer=unheard_of:2&q=zita").context["matches"]
    assert len(others) == 8


def test_a_line_takes_the_only_contact_with_the_word_in_its_name(desk, gateway, company):
    gateway.create(
        CONTACTS, {"cstname": "Ann Lee", "contact_type": 1, "cstemail": "ann@zebra-trading.example"}
    )
    page = desk.get("/tasks/new/", {"line": "Call @zebra"})
    assert page.context["form"].initial["cstid"] == str(company)


def test_a_currency_is_sent_only_with_an_amount(desk, company, sent):
    typed = {"deal_name": "Stripes", "cstid": company, "pipeline_id": "2"}
    desk.post("/deals/new/", begun(desk, **typed, deal_amount_currency="1"))
    assert "deal_amount_currency" not in sent("create")[-1]
    desk.post("/deals/new/", begun(desk, **typed, deal_amount="7", deal_amount_currency="1"))
    assert sent("create")[-1]["deal_amount_currency"] == 1


@pytest.mark.parametrize(("currency", "is_saved"), [("EUR", False), ("GBP", True), ("", True)])
def test_an_amount_is_in_the_currency_that_is_written_beside_it(
    desk, lists, company, sent, currency, is_saved
):
    codes = {each.name: each.code for each in reference_lists.entries("Acme", Kind.CURRENCY)}
    typed = begun(desk, deal_name="Stripes", pipeline_id="1", cstid=company, deal_amount="£900",
                  deal_amount_currency=codes.get(currency, ""))  # fmt: skip
    del typed["cstid-text"]
    page = desk.post("/deals/new/", typed, follow=True)
    assert ("“£” may be another currency." in text(page)) != is_saved
    assert [body["deal_amount"] for body in sent("create", resource="deals")] == [900] * is_saved
