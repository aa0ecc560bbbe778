"""The service's errors about nested fields stand beside what they mean, however they are keyed."""

from dataclasses import replace

import pytest

from dashboard.standin.error_keys import SPELLINGS
from tests.helpers import text
from tests.page_forms import fields

pytestmark = pytest.mark.django_db

LINE = {"quantity": "1", "price": "10", "item_name": "Work"}
UNKNOWN = "Choose another one: the CRM doesn&#39;t have this one."


@pytest.fixture(params=SPELLINGS)
def spelled(request, standin, monkeypatch):
    """The stand-in with the keys of nested errors in each spelling."""
    profile = replace(standin.application.profile, error_keys=request.param)
    monkeypatch.setattr(standin.application, "profile", profile)


def test_an_error_about_a_custom_field_stands_beside_its_row(desk, spelled):
    typed = fields(desk.get("/contacts/new/")) | {"cstname": "Zoe"}
    custom = {"custom_fields-name": ["Segment", "Region"], "custom_fields-value": ["A", "North"]}
    page = desk.post("/contacts/new/", {**typed, **custom})
    assert page.status_code == 422
    form = page.context["form"]
    assert set(form.errors) == {"custom_fields"}
    html = page.content.decode()
    assert 'aria-describedby="id_custom_fields_1_error"' in html
    assert UNKNOWN in html.partition('id="id_custom_fields_1_error">')[2].partition("</p>")[0]
    assert "Custom fields: Region: " in text(page)


def test_an_error_about_a_line_stands_beside_its_cell(desk, spelled):
    typed = fields(desk.get("/invoices/new/"), template_id="11", customer_id="1001")
    typed["customer_id-text"] = ""
    for line, item in enumerate(["501", "999"]):  # the stand-in has no item 999
        typed |= {f"line-{line}-{name}": value for name, value in LINE.items()}
        typed[f"line-{line}-item_id"] = item
    page = desk.post("/invoices/new/", typed)
    assert page.status_code == 422
    assert page.context["form"].non_field_errors() == []
    assert 'id="line-1-item_id-error"' in page.content.decode()
    assert "Line 2, item number: " in text(page)


def test_an_error_about_a_header_stands_beside_its_title(desk, spelled):
    typed = fields(desk.get("/invoices/new/"), template_id="11", customer_id="1001")
    typed["customer_id-text"] = ""
    typed |= {f"line-0-{name}": value for name, value in LINE.items()}
    typed |= {"line-0-type": "header", "line-0-item_id": "999"}
    page = desk.post("/invoices/new/", typed)
    assert page.status_code == 422
    assert 'id="line-0-item_name-error"' in page.content.decode()
    assert "Line 1, item: Item number: " in text(page)
