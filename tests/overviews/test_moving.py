"""A deal is moved to another stage on the board and on its page, where the service takes that."""

import html
import re

import pytest

from dashboard.gateway import DEALS
from tests.helpers import text, undo

pytestmark = pytest.mark.django_db

BOARD = "/deals/board/?pipeline=1"


@pytest.fixture
def deal(gateway, lists, zebra):
    body = {"deal_name": "Stripes", "pipeline_id": 1, "cstid": zebra, "deal_amount": 900}
    return gateway.create(DEALS, body).id


def stage_of(gateway, deal):
    return gateway.get(DEALS, deal).raw["deal_current_stage"]


def press_of(page, deal, to, seen="11"):
    """The address and the fields that board.js sends for a card."""
    form = re.search(r'<form id="move".*?</form>', page.content.decode(), re.S)[0]
    fields = dict(re.findall(r'name="(\w+)" value="(.*?)"', form))
    return f"/deals/{deal}/stage/", {
        **{name: html.unescape(value) for name, value in fields.items()}, "seen": seen, "to": to,
    }  # fmt: skip


def anyway(page):
    """The address and the fields of the button that does all the same what was not done."""
    notice = re.search(r'<div class="notice warning">.*?</div>', page.content.decode(), re.S)[0]
    assert "Change it anyway" in notice
    fields = dict(re.findall(r'name="(\w+)" value="(.*?)"', notice))
    url = re.search(r'action="([^"]*)"', notice)[1]
    return url, {name: html.unescape(value) for name, value in fields.items()}


def test_a_card_is_moved_and_back(desk, moving_deals, deal, gateway, standin):
    board = desk.get(BOARD)
    assert 'data-module="board"' in board.content.decode()
    url, fields = press_of(board, deal, "12")
    moved = desk.post(url, fields, follow=True)
    assert moved.redirect_chain[-1][0] == BOARD
    assert "Stripes moved to Meeting." in text(moved)
    assert stage_of(gateway, deal) == 12
    desk.post(url, fields)
    assert len(standin.ledger(operation="update")) == 1
    assert "Stripes moved to Enquiry." in text(desk.post(*undo(moved), follow=True))
    assert stage_of(gateway, deal) == 11
    sent = standin.ledger(operation="update")[0]["body"]
    assert sent.keys() == {"deal_name", "pipeline_id", "cstid", "deal_current_stage"}


def test_the_history_tells_of_it(desk, moving_deals, deal):
    desk.post(*press_of(desk.get(BOARD), deal, "13"))
    page = desk.get(f"/deals/{deal}/")
    assert [entry.words for entry in page.context["record_page"].timeline] == ["Stage changed"]
    assert [
        each.name for each in page.context["record_page"].steps if each.is_now and each.note
    ] == ["Proposal"]
    assert "Proposal" in text(desk.get(f"/deals/{deal}/history/"))


def test_a_stage_that_somebody_else_changed_is_replaced_only_if_asked_for(
    desk, moving_deals, deal, gateway
):
    url, fields = press_of(desk.get(BOARD), deal, "12")
    desk.post(*press_of(desk.get(BOARD), deal, "14"))
    asked = desk.post(url, fields, follow=True)
    assert "its stage is now Negotiation" in text(asked)
    assert stage_of(gateway, deal) == 14
    url, fields = anyway(asked)
    desk.post(*press_of(desk.get(BOARD), deal, "13", seen="14"), follow=True)
    asked = desk.post(url, fields, follow=True)
    assert "its stage is now Proposal" in text(asked)
    assert "Stripes moved to Meeting." in text(desk.post(*anyway(asked), follow=True))
    assert stage_of(gateway, deal) == 12


def test_a_stage_that_somebody_else_chose_as_well_is_told_and_not_sent(
    desk, moving_deals, deal, gateway, standin
):
    url, fields = press_of(desk.get(BOARD), deal, "12")
    desk.post(*press_of(desk.get(BOARD), deal, "12"), follow=True)
    sent = len(standin.ledger(operation="update"))
    page = text(desk.post(url, fields, follow=True))
    assert "Stripes moved to Meeting." in page
    assert "Undo" not in page
    assert len(standin.ledger(operation="update")) == sent


def test_a_service_that_takes_no_stage_is_found_out(desk, moving_deals, deal, standin, gateway):
    standin.application.unpublished = False
    page = text(desk.post(*press_of(desk.get(BOARD), deal, "12"), follow=True))
    assert stage_of(gateway, deal) == 11
    assert "not changed" in page or "shows “11” for Stage" in page


@pytest.mark.parametrize("to", ["", "999", "x"])
def test_a_deal_goes_to_no_stage_that_is_unknown(desk, moving_deals, deal, standin, to):
    url, fields = press_of(desk.get(BOARD), deal, to)
    assert desk.post(url, fields).status_code == 400
    assert standin.ledger(operation="update") == []


def test_the_stages_of_its_page_are_pressed(desk, moving_deals, deal, gateway):
    page = desk.get(f"/deals/{deal}/")
    assert "change it in" not in text(page)
    step = next(each for each in page.context["record_page"].steps if each.is_next)
    assert f'title="Move the deal to {step.name}"' in page.content.decode()
    answer = desk.post(step.move.url, dict(step.move.fields), follow=True)
    assert answer.redirect_chain[-1][0] == f"/deals/{deal}/"
    assert stage_of(gateway, deal) == 12


def test_nothing_is_moved_where_the_service_does_not_take_it(desk, deal, standin):
    board = desk.get(BOARD).content.decode()
    assert 'data-module="board"' not in board
    assert "draggable" not in board
    assert all(
        each.move is None for each in desk.get(f"/deals/{deal}/").context["record_page"].steps
    )
    fields = {"token": "t" * 20, "seen": "11", "to": "12", "back": BOARD}
    assert desk.post(f"/deals/{deal}/stage/", fields).status_code == 501
    assert standin.ledger(operation="update") == []
