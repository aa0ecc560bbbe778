"""A new contact or lead from a pasted signature, and what is told of people that are there."""

import pytest

from dashboard.gateway import CONTACTS, LEADS
from tests.helpers import text
from tests.page_forms import fields

pytestmark = pytest.mark.django_db

SIGNATURE = """Kind regards

Zoe Zebra
Head of Stripes
Zebra Trading Ltd
12 High Street
London SW1A 1AA
T: +44 20 7946 0958
zoe@zebra.example
VAT GB 123456789
"""


def read(desk, address, **typed):
    begun = {**fields(desk.get(address)), **typed}
    page = desk.post(address, {**begun, "pasted": SIGNATURE, "do": "read"})
    assert page.status_code == 200
    return page


def value(page, name):
    return page.context["form"][name].value()


def test_a_read_signature_fills_the_empty_fields_of_a_contact(desk, sent):
    page = read(desk, "/contacts/new/", cstemail="other@zebra.example")
    assert value(page, "cstname") == "Zoe Zebra"
    assert value(page, "cstmobile") == "+44 20 7946 0958"
    assert value(page, "cstaddress") == "12 High Street\nLondon SW1A 1AA"
    assert value(page, "ct_taxnumber") == "GB 123456789"
    assert value(page, "cstnotes") == "Kind regards\nHead of Stripes"
    assert value(page, "cstemail") == "other@zebra.example"  # was typed
    assert "Email from the signature: zoe@zebra.example" in text(page)
    assert sent("create") == []


def test_the_business_of_a_contact_is_proposed_and_looked_up_when_it_is_saved(desk, gateway, sent):
    business = gateway.create(CONTACTS, {"cstname": "Zebra Trading Ltd", "contact_type": 2}).id
    page = read(desk, "/contacts/new/")
    assert not value(page, "contact_parent")
    proposed = page.context["proposals"]["contact_parent"]
    assert (proposed.text, proposed.is_taken) == ("Zebra Trading Ltd", False)
    typed = {**fields(page), "pasted": SIGNATURE, "pasted_read": SIGNATURE}
    page = desk.post("/contacts/new/", {**typed, "do": "take:contact_parent"})
    assert value(page, "contact_parent") == "?Zebra Trading Ltd"
    again = {
        "pasted": SIGNATURE,
        "pasted_read": SIGNATURE,
        "contact_parent-text": "Zebra Trading Ltd",
    }
    desk.post("/contacts/new/", {**fields(page), **again})
    assert sent("create")[-1]["contact_parent"] == business


def test_a_proposal_is_left_out_and_used_again(desk):
    page = read(desk, "/leads/new/")
    assert value(page, "lead_company_name") == "Zebra Trading Ltd"
    assert "Tax number: GB 123456789" in value(page, "cstnotes")  # leads have no such field
    typed = {**fields(page), "pasted": SIGNATURE, "pasted_read": SIGNATURE}
    page = desk.post("/leads/new/", {**typed, "do": "leave:lead_company_name"})
    assert value(page, "lead_company_name") == ""
    assert value(page, "cstname") == "Zoe Zebra"
    assert not page.context["proposals"]["lead_company_name"].is_taken
    page = desk.post("/leads/new/", {**typed, "do": "take:lead_company_name"})
    assert value(page, "lead_company_name") == "Zebra Trading Ltd"


def test_a_signature_that_was_not_read_is_read_before_anything_is_sent(desk, sent):
    typed = {**fields(desk.get("/leads/new/")), "cstname": "Zoe", "pasted": SIGNATURE}
    page = desk.post("/leads/new/", typed)
    assert page.status_code == 200
    assert "Name from the signature: Zoe Zebra Use" in text(page)
    assert sent("create") == []
    typed = {**fields(page), "pasted": SIGNATURE, "pasted_read": SIGNATURE}
    assert "was created" in text(desk.post("/leads/new/", typed, follow=True))
    assert sent("create")[-1]["cstname"] == "Zoe"


@pytest.mark.parametrize("address", ["/contacts/known/", "/leads/known/"])
@pytest.mark.parametrize(
    ("field", "typed"), [("cstname", "zoe  zebra"), ("cstemail", "ZOE@zebra.example")]
)
def test_people_with_the_same_name_or_email_are_told(desk, gateway, address, field, typed):
    person = {"cstname": "Zoe Zebra", "cstemail": "zoe@zebra.example"}
    contact = gateway.create(CONTACTS, {**person, "contact_type": 1}).id
    lead = gateway.create(LEADS, person).id
    page = desk.get(address, {"field": field, "value": typed})
    assert f'href="/contacts/{contact}/"' in page.content.decode()
    assert f'href="/leads/{lead}/"' in page.content.decode()
    assert "is already there: contact Zoe Zebra (zoe@zebra.example), lead Zoe Zebra" in text(page)


def test_a_number_is_looked_for_among_the_newest_and_that_is_said(desk, gateway):
    body = {"cstname": "Zoe", "contact_type": 1, "cstmobile": "+493012345678"}
    gateway.create(CONTACTS, body)
    page = desk.get("/contacts/known/", {"field": "cstmobile", "value": "030 123 456 78"})
    assert "This number is already there: contact Zoe" in text(page)
    assert "Only the latest 100" in text(page)


def test_a_look_up_that_fails_says_nothing(desk, standin):
    standin.fault("status-503", operation="list", resource="contacts")
    standin.fault("status-503", operation="list", resource="leads")
    page = desk.get("/leads/known/", {"field": "cstname", "value": "Zoe"})
    assert (page.status_code, page.content.strip()) == (200, b"")
