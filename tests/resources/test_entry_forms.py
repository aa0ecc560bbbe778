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


@pytest.mark.parametrize("name", ["acorn  zebra ltd", "ACORN ZEBRA"])
def test_a_business_is_known_by_words_of_its_name(desk, acorn, name):
    form = begun(desk, "/contacts/new/", f'Zoe @"{name}"')
    assert form["contact_parent"].value() == str(acorn)


@pytest.mark.parametrize("name", ["4711", "office"])
def test_a_business_is_not_known_by_its_id_or_address(desk, gateway, acorn, name):
    body = {"cstname": "Yak Ltd", "contact_type": 2, "cstemail": "office4711@yak.example"}
    gateway.create(CONTACTS, body)
    for typed in (name, str(acorn)):
        form = begun(desk, "/contacts/new/", f"Zoe @{typed}")
        assert form["contact_parent"].value() == f"?{typed}"
