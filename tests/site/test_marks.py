"""What nobody sees is taken out of whatever is typed, on each page alike."""

from urllib.parse import quote

import pytest
from django import forms
from django.http import QueryDict
from django.urls import reverse

import dashboard.urls  # noqa: F401  # all pages, with their forms
from dashboard.gateway import CONTACTS, INVOICES
from dashboard.people.context import RequestContext
from dashboard.schema.registry import RESOURCES
from tests.conftest import PASSWORD
from tests.helpers import mails
from tests.page import InspectingClient as Client
from tests.page_forms import fields
from tests.signing_in import is_signed_in, sign_in

ZWSP, LRE, PDF = "\u200b", "\u202a", "\u202c"
TYPED, BARE = f"{LRE}Zebra®{ZWSP} 7{PDF}", "Zebra® 7"
UNCHANGED = (forms.ChoiceField, forms.BooleanField, forms.FileField)
pytestmark = pytest.mark.django_db


class Typed(QueryDict):
    """A submitted form with the same text in each of its controls."""

    def get(self, name, default=None):
        return "1" if name.endswith("-type") else TYPED

    def getlist(self, name, default=None):
        return ["1"] if name == "line" else [TYPED]


def form_classes(form=forms.BaseForm):
    """All forms of the pages."""
    for each in form.__subclasses__():
        yield from form_classes(each)
        if each.__module__.startswith("dashboard."):
            yield each


def texts_in(value):
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in texts_in(part)]
    if isinstance(value, list):
        return [text for part in value for text in texts_in(part)]
    return [value] if isinstance(value, str) else []


def inputs_of(fields):
    """The field and its input, by name, of a form with these fields that was submitted."""
    form = forms.Form(Typed())
    form.fields = fields
    return [(field, form[name].data) for name, field in fields.items()]


@pytest.mark.parametrize("form", sorted({*form_classes()}, key=str), ids=lambda form: form.__name__)
def test_each_form_takes_what_is_typed_without_marks_and_the_rest_as_it_came(form):
    for field, given in inputs_of(form.base_fields):
        if isinstance(field.widget, forms.HiddenInput | forms.PasswordInput):
            assert given == TYPED
        elif not isinstance(field, UNCHANGED):
            assert TYPED not in texts_in(given)
            assert not {ZWSP, LRE, PDF} & {*"".join(texts_in(given))}


@pytest.mark.parametrize("resource", RESOURCES.values(), ids=lambda each: each.name)
def test_each_filter_is_read_without_marks(resource):
    ctx = RequestContext(gateway=None)
    for field, given in inputs_of({each.name: each.form_field(ctx) for each in resource.filters}):
        if not isinstance(field, forms.ChoiceField):
            assert not {ZWSP, LRE, PDF} & {*"".join(texts_in(given))}


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


@pytest.mark.parametrize("name", ["cstname", "cstaddress"])
def test_marks_of_a_record_are_repaired_by_typing_the_text_again(desk, gateway, standin, name):
    body = {"cstname": f"Zoe{ZWSP}", "contact_type": 1, "cstaddress": f"1 Stripe\n{LRE}Street"}
    url = f"/contacts/{gateway.create(CONTACTS, body).id}/edit/"
    bare = {"cstname": "Zoe", "cstaddress": "1 Stripe\nStreet"}[name]
    desk.post(url, {**fields(desk.get(url)), name: bare})
    [sent] = [each["body"] for each in standin.ledger(operation="update")]
    assert sent == {name: bare}


def test_lines_with_marks_are_no_change_and_are_sent_as_they_were_beside_one_that_is_typed(
    desk, gateway, lists, standin
):
    line = {"item_id": 501, "quantity": 1, "price": 10, "type": "item"}
    names = f"Ro{ZWSP}of", f"Do{ZWSP}or"
    lines = [{**line, "item_name": name, "description": f"a\n{LRE}b"} for name in names]
    body = {"customer_id": 1001, "template_id": 11, "items": lines}
    url = f"/invoices/{gateway.create(INVOICES, body).id}/edit/"
    desk.post(url, fields(desk.get(url)))
    assert not standin.ledger(operation="update")
    desk.post(url, fields(desk.get(url), line_1_item_name=f"{ZWSP}Gate"))
    [sent] = [each["body"] for each in standin.ledger(operation="update")]
    assert [each["item_name"] for each in sent["items"]] == [f"Ro{ZWSP}of", "Gate"]
    assert {each["description"] for each in sent["items"]} == {f"a\n{LRE}b"}


def test_a_copy_is_sent_without_the_marks_of_its_original(desk, gateway, standin):
    number = gateway.create(CONTACTS, {"cstname": f"Zoe{ZWSP}", "contact_type": 1}).id
    url = f"/contacts/new/?copy={number}"
    desk.post(url, fields(desk.get(url)))
    [*_, sent] = [each["body"] for each in standin.ledger(operation="create")]
    assert sent["cstname"] == "Zoe"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("/contacts/pick/?q={}", "text"),
        ("/contacts/1001/merge/?search={}", "search"),
        ("/search/?q={}", "q"),
        ("/settings/lists/countries/?q={}", "query"),
        ("/staff/?q={}", "query"),
    ],
)
def test_searches_are_made_without_marks(client_of, with_keys, administrator, url, name):
    page = client_of(with_keys(administrator)).get(url.format(quote(TYPED)))
    assert page.context[name] == BARE


def test_entries_in_one_line_and_days_in_an_address_are_read_without_marks(
    client_of, with_keys, administrator
):
    client = client_of(with_keys(administrator))
    line = quote(f"Zoe {ZWSP}Zebra zoe@{ZWSP}zebra.example")
    form = client.get(f"/contacts/new/?line={line}").context["form"]
    assert form["cstemail"].value() == "zoe@zebra.example"
    day = quote(f"2027-11{ZWSP}-02")
    assert client.get(f"/day/?text={day}").json()["iso"] == "2027-11-02"
    assert not client.get(f"/history/?day_from={day}").context["filters"].errors


def test_people_sign_in_and_ask_for_a_link_with_marks_in_their_names(viewer):
    sign_in(client := Client(), f"{ZWSP}vera{PDF}")
    assert is_signed_in(client)
    Client().post("/accounts/password/reset/", {"email": f"vera@{ZWSP}example.test"})
    assert [message.to for message in mails()] == [["vera@example.test"]]


def test_a_password_is_taken_as_it_is_typed(desk, manager):
    typed = f"quiet otters {ZWSP} build dams"
    change = {"oldpassword": PASSWORD, "password1": typed, "password2": typed}
    desk.post(reverse("account_change_password"), change)
    manager.refresh_from_db()
    assert manager.check_password(typed)
