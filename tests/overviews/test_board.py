"""The board of deals by stage."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.gateway import DEALS
from dashboard.gateway.errors import Unavailable
from dashboard.office import reference_lists
from dashboard.office.kinds import Kind
from dashboard.office.models import ListEntry
from dashboard.overviews import board
from dashboard.schema import values
from tests.helpers import text

pytestmark = pytest.mark.django_db


def columns(page):
    return {each.title: each for each in page.context["columns"]}


def test_deals_stand_in_the_column_of_their_stage(desk, gateway, lists, zebra):
    body = {"deal_name": "Stripes", "pipeline_id": 1, "cstid": zebra, "deal_amount": 900}
    gateway.create(DEALS, body)
    page = desk.get("/deals/board/")
    first, *others = columns(page).values()
    assert "Stripes" in [card.name.text for card in first.cards]
    assert all("Stripes" not in [card.name.text for card in each.cards] for each in others)
    assert "Zebra Ltd" in text(page)
    assert first.known == str(len(first.cards))
    assert not first.is_partial


def test_a_sum_of_a_part_says_at_least(desk, gateway, lists, zebra, monkeypatch):
    for number in range(2):
        body = {"deal_name": f"Stripes {number}", "pipeline_id": 1, "cstid": zebra}
        gateway.create(DEALS, {**body, "deal_amount": 900})
    monkeypatch.setattr(board, "MAX_DEALS", 1)
    page = desk.get("/deals/board/?pipeline=1")
    assert next(iter(columns(page).values())).is_partial
    assert re.search(r"at least 900\.00", text(page))


@pytest.fixture
def fail(monkeypatch):
    """fail("Won"): the call for the deals of these stages fails, those side by side do not."""
    read = board._read

    def failing(*names):
        def read_others(ctx, stage):
            if stage.name in names:
                raise Unavailable("reset")
            return read(ctx, stage)

        monkeypatch.setattr(board, "_read", read_others)

    return failing


def test_a_stage_that_fails_says_so_and_the_others_stand(desk, lists, fail):
    fail("Meeting")
    page = desk.get("/deals/board/")
    assert [name for name, each in columns(page).items() if each.failure] == ["Meeting"]
    assert text(page).count("The other stages are complete.") == 1


def test_with_the_service_away_the_board_says_once_that_nothing_was_read(
    desk, moving_deals, lists, standin
):
    standin.fault("status-400", operation="list", resource="deals")
    page = text(desk.get("/deals/board/"))
    assert page.count("so nothing could be loaded") == page.count("Try again") == 1
    assert page.count("Couldn't load") == len(columns(desk.get("/deals/board/"))) > 1
    assert "complete" not in page
    assert "Drag a card" not in page


def test_without_stages_the_board_says_what_to_do(desk, client_of, with_keys, administrator):
    words = text(desk.get("/deals/board/"))
    assert "No stages yet" in words
    assert "An administrator can import them from existing deals" in words
    assert "Add stages" in text(client_of(with_keys(administrator)).get("/deals/board/"))


def test_deals_of_no_stage_are_counted(desk, gateway, lists, zebra):
    gateway.create(DEALS, {"deal_name": "Stripes", "pipeline_id": 1, "cstid": zebra})
    page = desk.get("/deals/board/")
    assert page.context["others"] == 0
    first = next(iter(columns(page).values()))
    code = re.search(r"deal_current_stage=(\d+)", first.url)[1]
    ListEntry.objects.filter(kind=Kind.STAGE, code=code).update(retired=True)
    reference_lists.forget()
    page = desk.get("/deals/board/")
    assert page.context["others"] == int(first.known)
    assert re.search(rf"{first.known} more deals? (has|have) no stage", text(page))


def test_a_card_tells_when_its_deal_is_expected_to_close(desk, gateway, lists, zebra):
    closes = timezone.localdate() + timedelta(days=1)
    body = {"deal_name": "Stripes", "pipeline_id": 1, "cstid": zebra}
    gateway.create(DEALS, {**body, "deal_expected_close_date": closes})
    page = desk.get("/deals/board/")
    cards = [card for each in columns(page).values() for card in each.cards]
    assert [card.closes for card in cards if card.name.text == "Stripes"] == ["closes tomorrow"]


def test_a_card_past_its_day_is_marked_and_names_its_owner(desk, gateway, lists, zebra):
    closes = timezone.localdate() - timedelta(days=3)
    body = {"deal_name": "Stripes", "pipeline_id": 1, "cstid": zebra}
    deal = gateway.create(DEALS, {**body, "deal_expected_close_date": closes}).id
    owner = str(gateway.get(DEALS, deal)["owner"])
    page = desk.get("/deals/board/").content.decode()
    card = re.search(rf'<li class="card past">(?:(?!</li>).)*/deals/{deal}/.*?</li>', page, re.S)[0]
    assert "3 days overdue" in card
    assert f'data-initials="{values.initials(owner)}">{owner}</span>' in card


def test_a_stage_in_which_deals_are_over_is_folded(desk, lists, standin):
    folded = {each.title: each for each in columns(desk.get("/deals/board/")).values()}
    assert {title for title, each in folded.items() if each.stage.is_end} == {"Won", "Lost"}
    assert all(not each.cards for each in folded.values() if each.stage.is_end)
    assert folded["Won"].total
    assert int(folded["Won"].known)
