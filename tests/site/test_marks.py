"""What nobody sees is taken out of whatever is typed, on each page alike."""

import pytest
from django.urls import reverse

from dashboard.gateway import CONTACTS
from tests.conftest import PASSWORD
from tests.page_forms import fields

ZWSP, LRE, PDF = "\u200b", "\u202a", "\u202c"
pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("resource", ["contacts", "leads"])
def test_no_mark_is_sent_with_a_record(desk, standin, resource):
    typed = {
        "cstname": f"{ZWSP}Zoe Zebra{PDF}",
        "cstemail": f"zoe@{ZWSP}zebra.example",
        "cstmobile": f"{LRE}+49 30 1234567{PDF}",
    }
    desk.post(f"/{resource}/new/", {**fields(desk.get(f"/{resource}/new/")), **typed})
    [body] = [each["body"] for each in standin.ledger(operation="create", resource=resource)]
    assert (body["cstname"], body["cstemail"]) == ("Zoe Zebra", "zoe@zebra.example")
    assert body["cstmobile"].isascii()


def test_amounts_days_and_what_a_list_is_filtered_by_are_read_without_marks(desk, standin):
    typed = {"deal_name": "Roof", "deal_amount": f"{ZWSP}65{ZWSP}.00",
             "deal_expected_close_date": f"2027-11{LRE}-02"}  # fmt: skip
    page = desk.post("/deals/new/", {**fields(desk.get("/deals/new/")), **typed})
    assert not {"deal_amount", "deal_expected_close_date"} & page.context["form"].errors.keys()
    listed = desk.get("/deals/", {"search": f"{ZWSP}Roof", "date_from": f"2027-11-02{PDF}"})
    query = listed.context["list_page"].query
    assert (query.search, query.filters.errors) == ("Roof", {})


def test_a_name_of_marks_alone_is_no_name(desk, standin):
    page = desk.post("/contacts/new/", {**fields(desk.get("/contacts/new/")), "cstname": ZWSP * 2})
    assert page.context["form"].errors.keys() == {"cstname"}
    assert not standin.ledger(operation="create")


def test_marks_that_a_record_has_already_are_no_change(desk, gateway, standin):
    body = {"cstname": f"{LRE}Zoe{PDF}", "contact_type": 1}
    number = gateway.create(CONTACTS, body).id
    url = f"/contacts/{number}/edit/"
    desk.post(url, {**fields(desk.get(url)), "cstmobile": "+49301234567"})
    [sent] = [each["body"] for each in standin.ledger(operation="update")]
    assert sent == {"cstmobile": "+49301234567"}


def test_a_password_is_taken_as_it_is_typed(desk, manager):
    typed = f"quiet otters {ZWSP} build dams"
    change = {"oldpassword": PASSWORD, "password1": typed, "password2": typed}
    desk.post(reverse("account_change_password"), change)
    manager.refresh_from_db()
    assert manager.check_password(typed)
