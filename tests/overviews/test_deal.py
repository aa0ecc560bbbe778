"""The page of a deal: its stage, and what was created for it here."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.gateway import DEALS
from tests.helpers import text
from tests.resources.forms import submitted

pytestmark = pytest.mark.django_db


@pytest.fixture
def deal(gateway, zebra):
    closes = timezone.localdate() + timedelta(9)
    body = {"deal_name": "Stripes", "pipeline_id": 1, "cstid": zebra, "deal_amount": 900}
    body["deal_amount_currency"] = 1
    return gateway.create(DEALS, {**body, "deal_expected_close_date": closes}).id


def test_the_stage_is_told_in_words_and_among_those_of_the_pipeline(desk, lists, deal):
    page = desk.get(f"/deals/{deal}/")
    figures = {each.label: each for each in page.context["figures"]}
    assert figures["Company"].value.text == "Zebra Ltd"
    assert figures["Expected close"].note == "in 9 days"
    assert (figures["Amount"].value.text, figures["Amount"].unit) == ("900.00", "EUR")
    stage = figures["Stage"]
    assert stage.done == 1
    assert stage.note == f"New business, stage 1 of {stage.stages}"
    bar = page.content.decode().partition('<dd class="stages"')[2].partition("</dd>")[0]
    assert bar.count("<span") == stage.stages
    assert bar.count('class="done"') == 1


def test_a_stage_without_a_name_has_no_bar(desk, deal):
    page = desk.get(f"/deals/{deal}/")
    assert '<dd class="stages"' not in page.content.decode()
    assert "not named yet" in text(page)


def test_what_was_created_for_it_here_is_listed(desk, deal, block):
    assert "Nothing yet." in block(desk.get(f"/deals/{deal}/"), "created")
    opened = desk.get(f"/tasks/new/?deal={deal}")
    made = desk.post("/tasks/new/", submitted(opened, title="Send it", start_datetime="2030-03-02"))
    page = desk.get(f"/deals/{deal}/")
    assert f'<a href="{made["Location"]}">Task Send it</a>' in block(page, "created")
    assert [entry.words for entry in page.context["timeline"]] == ["Task Send it created"]
