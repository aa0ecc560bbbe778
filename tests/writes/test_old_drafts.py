"""Which drafts are stored, folded away, and offered above a form."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dashboard.gateway import CONTACTS
from dashboard.schema.registry import RESOURCES
from dashboard.writes.models import Draft
from tests.helpers import text
from tests.page_forms import fields

pytestmark = pytest.mark.django_db
NEW = "/contacts/new/"


def keep(desk, url=NEW, **typed):
    desk.post("/unfinished/keep/", {**fields(desk.get(url)), **typed})


def test_a_draft_of_a_week_ago_folds_away_and_can_be_opened(desk):
    keep(desk, cstname="Zebra")
    Draft.objects.update(stored_at=timezone.now() - timedelta(days=8))
    page = desk.get("/unfinished/")
    assert not page.context["unfinished"]
    assert "Nothing unfinished" not in text(page)
    assert "Older forms (1)" in text(page)
    assert "Unfinished 1" not in text(page)
    assert desk.get(NEW).context["offer"] is None
    again = desk.get(page.context["old"][0]["url"])
    assert again.context["form"]["cstname"].value() == "Zebra"


@pytest.mark.parametrize("resource", RESOURCES.values(), ids=lambda resource: resource.name)
def test_a_new_form_that_is_saved_or_kept_as_it_began_is_not_stored(desk, lists, resource):
    url = f"/{resource.name}/new/"
    begun = fields(desk.get(url))
    desk.post("/unfinished/keep/", begun)
    page = desk.post(url, begun)
    assert page.status_code == 422
    assert not Draft.objects.exists()


def test_a_draft_is_gone_once_its_form_is_emptied(desk):
    begun = fields(desk.get(NEW))
    answer = desk.post("/unfinished/keep/", {**begun, "contact_type": "2"})
    assert answer.json() == {"kept": True}
    assert Draft.objects.exists()
    assert desk.post("/unfinished/keep/", begun).json() == {"kept": False}
    assert not Draft.objects.exists()


def test_a_form_for_another_record_is_another_form(desk, gateway):
    zebra, yak = (
        gateway.create(CONTACTS, {"cstname": name, "contact_type": 2}).id
        for name in ("Zebra", "Yak")
    )
    keep(desk, f"/tasks/new/?contact={zebra}", title="Call")
    assert desk.get(f"/tasks/new/?contact={yak}").context["offer"] is None
    assert desk.get(f"/tasks/new/?contact={zebra}").context["offer"]["name"] == "Call"


@pytest.mark.parametrize("address", [NEW, "/unfinished/"])
def test_many_drafts_take_as_many_queries_as_one(desk, address, django_assert_max_num_queries):
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
