"""Forms that an entry in one line fills."""

import pytest

from dashboard.gateway import CONTACTS
from tests.helpers import fields, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def acorn(gateway):
    return gateway.create(CONTACTS, {"cstname": "Acorn Zebra Ltd", "contact_type": 2}).id


def begun(desk, address, line):
    return desk.get(address, {"line": line}).context["form"]


def test_a_contact_with_a_legal_form_begins_as_a_business(desk):
    form = begun(desk, "/contacts/new/", "Acorn Oak GmbH info@acorn.example")
    assert (form["cstname"].value(), form["contact_type"].value()) == ("Acorn Oak GmbH", 2)
    assert "Not understood" not in text(desk.get("/contacts/new/", {"line": "Acorn Oak GmbH"}))


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
