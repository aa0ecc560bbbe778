"""A record that the service does not answer is named as it is known, with its list and a way on."""

import pytest
from django.utils.html import escape

from dashboard.gateway.api import DEALS
from tests.helpers import text

pytestmark = pytest.mark.django_db


@pytest.fixture
def away(desk, standin):
    """The page of a record while the service is away."""

    def page(address: str) -> str:
        standin.fault("status-503")
        response = desk.get(address)
        assert response.status_code == 503
        return response.content.decode()

    return page


def test_a_deal_whose_name_a_list_said_is_named(desk, gateway, away):
    [first, *_] = gateway.list(DEALS).records
    assert desk.get("/deals/").status_code == 200
    page = away(f"/deals/{first.id}/")
    assert f"<h1>{escape(first['deal_name'])}</h1>" in page
    assert '<a href="/deals/" data-list-link="deals">Deals</a>' in page
    assert f'<a class="button main" href="/deals/{first.id}/">Try again</a>' in page


def test_the_form_of_one_leads_to_its_page(desk, away):
    page = away("/deals/4011/edit/")
    assert "<h1>Deal 4011</h1>" in page
    assert '<a href="/deals/4011/">Deal 4011</a>' in page


def test_a_record_that_is_not_there_has_no_name(desk):
    page = text(desk.get("/deals/999999/"))
    assert "Deal 999999" not in page
    assert "Go to Deals" in page
