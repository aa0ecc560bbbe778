"""Sums of amounts keep currencies apart, which lists of the service do not name."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.gateway import CONTACTS, DEALS, INVOICES
from dashboard.gateway.records import record_of
from dashboard.office import editing, reference_lists
from dashboard.office.kinds import Kind
from dashboard.people.context import RequestContext
from dashboard.reader import lookups
from dashboard.schema.money import Currencies, currencies_of, write_money
from dashboard.text.style import COMMA, PLAIN, Style
from tests.helpers import text
from tests.page_forms import fields

ROWS = [(1, "1.10"), (2, "2.20"), (3, "120000")]


def invoice(number, amount, **more):
    return record_of(INVOICES, {"inv_id": number, "amount_due": amount, **more})


def total(names, rows=ROWS):
    records = [invoice(number, amount) for number, amount in rows]
    return Currencies(names).total(records, "amount_due")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({1: "EUR", 2: "EUR", 3: "EUR"}, "120,003.30 EUR"),
        ({1: "EUR", 2: "EUR", 3: "JPY"}, "3.30 EUR + 120,000 JPY"),
        ({}, "120,003.30"),
        ({1: "EUR", 2: "EUR"}, "120,003.30 (currency known for 2 of 3)"),
        ({1: "EUR", 2: "JPY"}, "1.10 EUR + 2.2 JPY + 120,000.00 (currency known for 2 of 3)"),
    ],
)
def test_each_currency_has_a_sum_and_what_is_not_known_is_told(names, words):
    assert total(names).words(PLAIN) == words


def test_a_sum_of_nothing_is_zero_and_one_of_unreadable_amounts_says_so():
    assert Currencies({}, "EUR").total([], "amount_due").words(PLAIN) == "0.00 EUR"
    assert total({}, [(1, "1"), (2, "lots")]).is_complete is False
    assert total({}, [(1, "lots")]).with_amount == 0


@pytest.mark.parametrize(
    ("currency", "words"),
    [("EUR", "1.234,50 EUR"), ("JPY", "1.234,5 JPY"), ("BHD", "1.234,500 BHD"), ("", "1.234,50")],
)
def test_an_amount_has_the_places_of_its_currency_or_as_many_as_it_has(currency, words):
    assert write_money(Decimal("1234.5"), Style(COMMA), currency) == words


AMOUNTS = st.decimals(-(10**9), 10**9, places=2)


@given(st.lists(st.tuples(AMOUNTS, st.sampled_from(["", "EUR", "JPY", "BHD"])), max_size=30))
def test_no_sum_mixes_two_known_currencies_and_nothing_is_lost(amounts):
    records = [invoice(number, str(amount)) for number, (amount, _) in enumerate(amounts, 1)]
    names = {number: name for number, (_, name) in enumerate(amounts, 1) if name}
    made = Currencies(names).total(records, "amount_due")
    assert sum(amount for _, amount in made.parts) == sum(amount for amount, _ in amounts)
    if len(set(names.values())) > 1:
        told = dict(made.parts)
        for currency in set(names.values()):
            assert told[currency] == sum(amount for amount, name in amounts if name == currency)


@pytest.fixture
def currencies():
    entries = [{"code": "1", "name": "EUR"}, {"code": "2", "name": "JPY"}]
    editing.save_entries("Acme", Kind.CURRENCY, entries)


@pytest.mark.django_db
@pytest.mark.usefixtures("currencies")
def test_the_currency_of_a_record_is_known_once_it_was_read_by_its_id(gateway):
    ctx = RequestContext(gateway=gateway, workspace="Acme")
    rows = [invoice(1, "5"), invoice(2, "6")]
    assert not any(currencies_of(ctx, INVOICES, rows).names.values())
    lookups.cache_record(gateway, INVOICES, invoice(1, "5", org_currency_id=2))
    assert currencies_of(ctx, INVOICES, rows).names == {1: "JPY", 2: ""}
    lookups.cache_record(gateway, INVOICES, invoice(2, "6", org_currency_id=2))
    assert currencies_of(ctx, INVOICES, rows).common == "JPY"
    deal = record_of(DEALS, {"deal_id": 1, "deal_amount": "5"})
    assert not currencies_of(ctx, DEALS, [deal]).names[1], "another record of that number"


@pytest.mark.django_db
@pytest.mark.usefixtures("currencies")
def test_the_only_currency_of_an_office_stands_where_a_record_says_none(gateway):
    ctx = RequestContext(gateway=gateway, workspace="Acme")
    editing.set_only_currency("Acme", "1")
    rows = [invoice(1, "5"), invoice(2, "6")]
    assert currencies_of(ctx, INVOICES, rows).common == "EUR"
    told = currencies_of(ctx, INVOICES, [*rows, invoice(3, "7", org_currency_id=2)])
    assert (told.common, told.names[3]) == ("", "JPY")
    lookups.cache_record(gateway, INVOICES, invoice(2, "6", org_currency_id=2))
    told = currencies_of(ctx, INVOICES, rows)
    assert (told.common, told.names) == ("", {1: "", 2: "JPY"}), "the others are unsure"
    editing.set_only_currency("Acme", "")
    assert currencies_of(ctx, INVOICES, rows[:1]) == Currencies({1: ""})


def customer(gateway):
    return gateway.list(CONTACTS).records[0].id


def invoice_in_yen(gateway):
    body = {"customer_id": customer(gateway), "template_id": 11}
    line = {"item_id": 501, "item_name": "Work", "quantity": 1, "price": 78, "type": "item"}
    return gateway.create(INVOICES, {**body, "org_currency_id": 2, "items": [line]}).id


def open_page(desk, gateway):
    number = invoice_in_yen(gateway)
    desk.get(f"/invoices/{number}/")
    return f"/invoices/{number}/"


def save_and_new(desk, gateway):
    page = desk.get("/deals/new/")
    typed = {"deal_name": "Yen", "deal_amount": "5", "deal_amount_currency": "2"}
    typed |= {"cstid": str(customer(gateway)), "pipeline_id": "1"}
    assert desk.post("/deals/new/", fields(page, **typed, save_new="")).status_code == 302
    return f"/deals/{last_deal(gateway)}/"


def change_in_place(desk, gateway):
    body = {"deal_name": "Yen", "cstid": customer(gateway), "pipeline_id": 1}
    number = gateway.create(DEALS, {**body, "deal_amount": 5, "deal_amount_currency": 1}).id
    url = f"/deals/{number}/edit/"
    typed = fields(desk.get(url), deal_amount_currency="2")
    assert (
        desk.post(f"{url}?field=deal_amount", typed, headers={"HX-Request": "true"}).status_code
        == 200
    )
    return f"/deals/{number}/"


def list_what_was_read_before(desk, gateway):
    number = invoice_in_yen(gateway)
    lookups.cache_record(gateway, INVOICES, invoice(number, "78", org_currency_id=2))
    desk.get("/invoices/")
    return f"/invoices/{number}/"


def read_in_a_job(desk, gateway):
    ctx = RequestContext(gateway=gateway, workspace="Acme")
    currencies_of(ctx, INVOICES, [invoice(17, "78", org_currency_id=2)])
    return "/invoices/17/"


def last_deal(gateway):
    return max(each.id for each in gateway.list(DEALS, filters={"search": "Yen"}).records)


@pytest.mark.django_db
@pytest.mark.usefixtures("lists", "currencies")
@pytest.mark.parametrize(
    "path",
    [open_page, save_and_new, change_in_place, list_what_was_read_before, read_in_a_job],
)
def test_the_first_foreign_currency_ends_the_promise_of_one(desk, gateway, path):
    editing.set_only_currency("Acme", "1")
    desk.get("/invoices/")
    assert reference_lists.only_currency("Acme") == "EUR", "lists name no currency"
    whole = fields(desk.get("/invoices/new/"), draw="all")
    assert "uses only EUR" in text(desk.post("/invoices/new/", whole))
    url = path(desk, gateway)
    assert reference_lists.only_currency("Acme") == ""
    assert reference_lists.contradicted_currency("Acme").not_only == url
    editing.set_only_currency("Acme", "1")
    assert reference_lists.contradicted_currency("Acme") is None


@pytest.mark.django_db
@pytest.mark.usefixtures("currencies")
def test_reading_the_names_of_lists_ends_the_promise_of_one_currency(
    client_of, with_keys, administrator, gateway
):
    desk = client_of(with_keys(administrator))
    invoice_in_yen(gateway)
    editing.set_only_currency("Acme", "1")
    desk.post("/setup/pick-up/")
    assert reference_lists.only_currency("Acme") == ""


def seen(desk, gateway, endpoint, body):
    """Create a record and open its page, as its author does."""
    number = gateway.create(endpoint, body).id
    desk.get(f"/{endpoint.name}/{number}/")
    return number


LINE = {"item_id": 501, "item_name": "Work", "quantity": 1, "type": "item"}


@pytest.mark.django_db
@pytest.mark.usefixtures("currencies")
def test_pages_keep_two_currencies_apart(desk, gateway):
    customer = gateway.create(CONTACTS, {"cstname": "Kyoto Books", "contact_type": 2}).id
    body = {"customer_id": customer, "template_id": 11, "due_date": "2020-01-01"}
    for currency, price in ((1, 120), (2, 120_000)):
        lines = [{**LINE, "price": price}]
        seen(desk, gateway, INVOICES, {**body, "items": lines, "org_currency_id": currency})
    page = text(desk.get(f"/contacts/{customer}/"))
    assert "120,120" not in page
    assert "Owes 120.00 EUR and 120,000 JPY, 2 open invoices" in page
    assert "2 · 120.00 EUR + 120,000 JPY in all" in page
    rows = text(desk.get(f"/invoices/?cstid={customer}"))
    assert "120.00 EUR" in rows
    assert "120,000 JPY" in rows
    assert "120,120" not in text(desk.get("/"))
