"""Fields that no page draws until somebody opens them are posted as if they were drawn."""

import pytest
from django.http import QueryDict

from dashboard.gateway import CONTACTS, DEALS, ENDPOINTS, ESTIMATES, INVOICES
from tests import markup
from tests.page_forms import fields

pytestmark = pytest.mark.usefixtures("lists")

LINE = {"item_id": 501, "item_name": "Work", "quantity": 2, "price": 900, "type": "item"}
DOCUMENT = {
    "customer_id": 1001,
    "template_id": 11,
    "items": [LINE],
    "overall_discount": 5,
    "overall_discount_type": 2,
    "notes": "One\nTwo",
    "org_currency_id": 2,
    "conversion_rate": 1.5,
    "tag_ids": [41, 42],
}
FILLED = {
    CONTACTS: {
        "cstname": "Zoe",
        "contact_type": 1,
        "cstaddress": "1 High Street\nLeeds",
        "ct_taxnumber": "GB 1",
        "cst_tag_id": [41, 42],
        "custom_fields": {"Preferred language": "English"},
    },
    DEALS: {
        "deal_name": "Stripes",
        "cstid": 1001,
        "pipeline_id": 1,
        "deal_description": "\nOne\n“Two”",
        "tag_ids": [41],
    },
    ESTIMATES: DOCUMENT,
    INVOICES: DOCUMENT,
}
by_name = {"ids": lambda endpoint: endpoint.name}


def posted(page, form) -> dict:
    """What the form of a page sends, as each field of it compares values."""
    data = QueryDict(mutable=True)
    for name, texts in fields(page).items():
        data.setlist(name, texts if isinstance(texts, list) else [texts])
    sent = type(form)(data, ctx=form.ctx, opened_with=form.opened_with)
    return {name: each.comparable(sent.typed_value(name)) for name, each in sent.fields.items()}


def shown(form) -> dict:
    values = {name: form[name].value() for name in form.fields}
    texts = {name: str(each) if type(each) is int else each for name, each in values.items()}
    return {name: each.comparable(texts[name]) for name, each in form.fields.items()}


@pytest.mark.parametrize("endpoint", ENDPOINTS, **by_name)
def test_a_new_form_posts_the_defaults_of_fields_that_it_does_not_draw(desk, endpoint):
    page = desk.get(f"/{endpoint.name}/new/")
    assert page.context["undrawn"]
    assert posted(page, page.context["form"]) == shown(page.context["form"])


@pytest.mark.parametrize("endpoint", FILLED, **by_name)
def test_an_edit_form_changes_no_field_that_it_does_not_draw(desk, gateway, endpoint):
    url = f"/{endpoint.name}/{gateway.create(endpoint, FILLED[endpoint]).id}/edit/"
    page = desk.get(url)
    form = page.context["form"]
    assert any(form[name].value() for name in page.context["undrawn"])
    assert posted(page, form) == shown(form)
    assert "Nothing was changed" in desk.post(url, fields(page), follow=True).content.decode()


@pytest.mark.parametrize("endpoint", FILLED, **by_name)
def test_fields_are_drawn_as_the_form_has_them(desk, gateway, endpoint):
    url = f"/{endpoint.name}/{gateway.create(endpoint, FILLED[endpoint]).id}/edit/"
    page = desk.get(url)
    names = page.context["undrawn"]
    asked = {**fields(page), "draw": " ".join(names)}
    whole = desk.post(url, asked)  # as a browser without JavaScript
    assert posted(whole, page.context["form"]) == shown(page.context["form"])
    part = desk.post(url, asked, headers={"HX-Request": "true"})
    tree = markup.tree(part.content.decode())
    drawn = {each.get("name") for tag in ("input", "select", "textarea") for each in tree.iter(tag)}
    assert {each for each in drawn if each.partition("-")[0] in names} == drawn
    assert {each.partition("-")[0] for each in drawn} == set(names)


def test_values_of_an_address_are_posted_although_they_are_not_drawn(desk, gateway):
    business = gateway.create(CONTACTS, {"cstname": "Zebra Ltd", "contact_type": 2}).id
    page = desk.get(f"/contacts/new/?business={business}")
    assert "contact_parent" in page.context["undrawn"]
    assert fields(page)["contact_parent"] == str(business)
