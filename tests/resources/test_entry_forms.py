"""Forms that an entry in one line fills."""

from datetime import date
from decimal import Decimal

import pytest
import time_machine

from dashboard.catalogue import services as catalogue
from dashboard.gateway import CONTACTS
from dashboard.standin.reference_data import reference_data
from tests.helpers import fields, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def acorn(gateway):
    return gateway.create(CONTACTS, {"cstname": "Acorn Zebra Ltd", "contact_type": 2}).id


def begun(desk, address, line):
    return desk.get(address, {"line": line}).context["form"]


@time_machine.travel("2026-03-04T10:20:00", tick=True)
def test_an_invoice_has_the_customer_the_lines_and_the_due_date(desk, acorn):
    catalogue.fill("Acme", reference_data("acme"))
    line = "acorn zebra 3 consulting hour, 2 design, due +14, as agreed"
    form = begun(desk, "/invoices/new/", line)
    assert form["customer_id"].value() == str(acorn)
    assert form["due_date"].value() == "18 Mar 2026"
    assert form["notes"].value() == "as agreed"
    cells = [(row.cells["item_name"], row.cells["quantity"]) for row in form.rows if not row.blank]
    assert cells == [("Consulting hour", "3"), ("Design day", "2")]
    assert all(row.cells["price"] for row in form.rows if not row.blank)


def test_the_focus_is_on_a_customer_that_is_still_to_be_chosen(desk, acorn, gateway):
    gateway.create(CONTACTS, {"cstname": "Acorn Zebra Travel", "contact_type": 2})
    form = begun(desk, "/invoices/new/", "acorn zebra 3 hours")
    assert form["customer_id"].value() == "?acorn zebra"
    focused = [name for name, one in form.fields.items() if "autofocus" in one.widget.attrs]
    assert focused == ["customer_id"]


@time_machine.travel("2026-03-04T10:20:00", tick=True)
def test_a_deal_has_the_company_the_amount_and_the_day(desk, acorn):
    form = begun(desk, "/deals/new/", 'Website 12,500 @"Acorn Zebra" closes fri')
    assert form["cstid"].value() == str(acorn)
    assert form.initial["deal_amount"] == Decimal(12500)
    assert form.initial["deal_expected_close_date"] == date(2026, 3, 6)


def test_a_contact_with_a_legal_form_begins_as_a_business(desk):
    form = begun(desk, "/contacts/new/", "Acorn Oak GmbH info@acorn.example")
    assert (form["cstname"].value(), form["contact_type"].value()) == ("Acorn Oak GmbH", 2)
    assert "Not understood" not in text(desk.get("/contacts/new/", {"line": "Acorn Oak GmbH"}))


def test_a_contact_opened_lately_is_the_company_of_a_deal(desk, acorn):
    desk.get(f"/contacts/{acorn}/")
    form = begun(desk, "/deals/new/", "Website acorn 12.500")
    assert form["cstid"].value() == str(acorn)
    assert form["deal_name"].value() == "Website"
    assert form.initial["deal_amount"] == Decimal(12500)


def test_a_business_that_is_not_found_stays_as_typed(desk):
    form = begun(desk, "/contacts/new/", "Zoe @Nowhere")
    assert (form["cstname"].value(), form["contact_parent"].value()) == ("Zoe", "?Nowhere")


def test_a_filled_form_is_saved_as_any_other(desk, sent):
    address = "/leads/new/?line=Zoe+Zebra+zoe@zebra.example"
    page = desk.post(address, fields(desk.get(address)), follow=True)
    assert "Lead Zoe Zebra was created" in text(page)
    assert sent("create")[-1] == {"cstname": "Zoe Zebra", "cstemail": "zoe@zebra.example"}


def test_other_parameters_of_the_address_go_first(desk, acorn):
    form = desk.get(f"/tasks/new/?contact={acorn}&line=call+@Nobody").context["form"]
    assert form["cstid"].value() == str(acorn)
