"""Drafts that are of no more use fold away, and are not offered above a form."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dashboard.drafts.models import Draft
from dashboard.gateway import CONTACTS
from tests.helpers import fields, text

pytestmark = pytest.mark.django_db
NEW = "/contacts/new/"


def keep(desk, url=NEW, **typed):
    desk.post("/unfinished/keep/", {**fields(desk.get(url)), **typed})


def settled(desk):
    page = desk.get("/unfinished/")
    return [one["settled"] for one in page.context["settled"]], page


def test_a_draft_of_a_week_ago_folds_away_and_can_be_opened(desk):
    keep(desk, cstname="Zebra")
    Draft.objects.update(kept_at=timezone.now() - timedelta(days=8))
    why, page = settled(desk)
    assert why == ["not opened for a week"]
    assert not page.context["unfinished"]
    assert "There is nothing unfinished" in text(page)
    assert "Unfinished 1" not in text(page)
    assert desk.get(NEW).context["offer"] is None
    again = desk.get(page.context["settled"][0]["url"])
    assert again.context["form"]["cstname"].value() == "Zebra"


def test_a_draft_without_a_word_is_empty(desk):
    keep(desk, contact_type="2")
    assert settled(desk)[0] == ["nothing typed"]
    assert desk.get(NEW).context["offer"] is None
    keep(desk, cstnotes="call back")
    assert settled(desk)[0] == ["nothing typed"]
    assert desk.get(NEW).context["offer"] is not None


def test_a_draft_of_a_record_that_was_saved_since_folds_away(desk):
    keep(desk, cstname="Zebra")
    desk.post(NEW, {**fields(desk.get(NEW)), "cstname": "zebra", "contact_type": "2"})
    keep(desk, cstname="Yak")
    why, page = settled(desk)
    assert why == ["saved since"]
    assert [one["name"] for one in page.context["unfinished"]] == ["Yak"]
    offer = desk.get(NEW).context
    assert (offer["offer"]["name"], offer["more_offers"]) == ("Yak", 0)


def test_a_draft_typed_after_the_record_was_saved_stays(desk):
    desk.post(NEW, {**fields(desk.get(NEW)), "cstname": "Zebra", "contact_type": "2"})
    keep(desk, cstname="Zebra")
    assert settled(desk)[0] == []


def test_a_form_for_another_record_is_another_form(desk, gateway):
    zebra, yak = (
        gateway.create(CONTACTS, {"cstname": name, "contact_type": 2}).id
        for name in ("Zebra", "Yak")
    )
    keep(desk, f"/tasks/new/?contact={zebra}", title="Call")
    assert desk.get(f"/tasks/new/?contact={yak}").context["offer"] is None
    assert desk.get(f"/tasks/new/?contact={zebra}").context["offer"]["name"] == "Call"


def test_all_that_is_settled_is_discarded_at_once(desk):
    for _ in range(2):
        keep(desk)
    page = desk.get("/unfinished/")
    listed = [str(one["pk"]) for one in page.context["settled"]]
    assert f"Discard these {len(listed)}" in text(page)
    desk.post("/unfinished/discard/", {"listed": listed})
    assert not Draft.objects.filter(state="open").exists()


@pytest.mark.parametrize("address", [NEW, "/unfinished/"])
def test_many_drafts_are_compared_with_what_was_saved_by_one_query(
    desk, address, django_assert_max_num_queries
):
    keep(desk, cstname="Zebra")
    desk.get(address)
    with CaptureQueriesContext(connection) as one:
        desk.get(address)
    most = len(one)
    for name in ("Yak", "Emu", "Owl"):
        keep(desk, cstname=name)
    with django_assert_max_num_queries(most):
        page = desk.get(address)
    found = page.context["more_offers"] if address == NEW else len(page.context["unfinished"])
    assert found == (3 if address == NEW else 4)
