"""Forms that an entry in one line fills."""

import pytest

from dashboard.gateway import CONTACTS

pytestmark = pytest.mark.django_db


@pytest.fixture
def acorn(gateway):
    return gateway.create(CONTACTS, {"cstname": "Acorn Zebra Ltd", "contact_type": 2}).id


def begun(desk, address, line):
    return desk.get(address, {"line": line}).context["form"]


def test_a_business_that_is_not_found_stays_as_typed(desk):
    form = begun(desk, "/contacts/new/", "Zoe @Nowhere")
    assert (form["cstname"].value(), form["contact_parent"].value()) == ("Zoe", "?Nowhere")


def test_other_parameters_of_the_address_go_first(desk, acorn):
    form = desk.get(f"/tasks/new/?contact={acorn}&line=call+@Nobody").context["form"]
    assert form["cstid"].value() == str(acorn)
