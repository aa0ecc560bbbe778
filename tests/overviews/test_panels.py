"""Every panel of every page: with records, with none, and with a call that fails."""

from datetime import timedelta
from html import unescape

import pytest
from django.core.cache import cache
from django.utils import timezone

from dashboard.gateway import DEALS, ESTIMATES, INVOICES, TASKS
from dashboard.office import repeats
from dashboard.overviews.contact import CONTACT_PANELS
from dashboard.overviews.customer import ContactOfTask, CustomerOfDeal
from dashboard.overviews.deal import DealPage
from dashboard.overviews.figures import FIGURES
from dashboard.overviews.task import TaskPage
from dashboard.overviews.today import TODAY_PANELS, OwnWork
from dashboard.records.panels import Panel
from dashboard.search.preview import PREVIEW_PANELS, Preview
from dashboard.text.recurrence import WEEKLY
from tests.helpers import text
from tests.page_forms import fields

pytestmark = pytest.mark.django_db

PANELS = {
    "/": TODAY_PANELS,
    "/contacts/{contact}/": CONTACT_PANELS,
    "/deals/{deal}/": DealPage.panel_types,
    "/deals/{deal}/?panel=customer": DealPage.panel_types[-1:],
    "/tasks/{task}/?panel=customer": TaskPage.panel_types,
    "/search/preview/?contact={contact}": PREVIEW_PANELS,
    "/figures/": FIGURES,
}
FREQUENCY_LABELS = {  # what a panel without rows shows
    OwnWork: "1 task",
    CustomerOfDeal: "Zebra Ltd",
    ContactOfTask: "Zebra Ltd",
    Preview: "Zebra Ltd",
}
TERMS = {"template_id": "11", "org_currency_id": "1"}
LINE = {"line_0_item_id": "501", "line_0_item_name": "Work", "line_0_quantity": "1"}
places = pytest.mark.parametrize("place", PANELS)


@pytest.fixture
def made(monkeypatch):
    """The panels that were made, by their classes."""
    found, start = {}, Panel.__init__

    def note(self, *args):
        start(self, *args)
        found[type(self)] = self

    monkeypatch.setattr(Panel, "__init__", note)
    return found


@pytest.fixture
def records(gateway, lists, zebra):
    """A contact with a deal and a task, as parts of an address."""
    cache.clear()
    today = timezone.localdate()
    start, body = f"{today - timedelta(1)}T09:00:00", {"deal_name": "Dots", "pipeline_id": 1}
    deal = gateway.create(DEALS, {**body, "cstid": zebra, "deal_expected_close_date": today})
    task = gateway.create(TASKS, {"title": "Call", "start_datetime": start, "cstid": zebra})
    return {"contact": zebra, "deal": deal.id, "task": task.id}


@pytest.mark.parametrize("panels", PANELS.values())
def test_panels_of_a_page_have_different_names(panels):
    assert len({panel.name for panel in panels} - {""}) == len(panels)


@pytest.fixture
def entered(desk, manager, records):
    """What panels know only of records that were entered here, and of what is due again."""
    forms = {
        f"/tasks/new/?deal={records['deal']}": {
            "title": "Ring",
            "start_datetime": "2029-03-02 09:00",
        },
        f"/estimates/new/?deal={records['deal']}": {**TERMS, **LINE, "line_0_price": "9"},
        f"/contacts/new/?business={records['contact']}": {"cstname": "Ida Stripe"},
    }
    for address, typed in forms.items():
        assert desk.post(address, fields(desk.get(address), **typed)).status_code == 302
    today = timezone.localdate()
    days = {"frequency": WEEKLY, "begins_on": today, "next_on": today}
    repeats.store(manager.pk, "Acme", "tasks", records["task"], days)


@places
def test_panels_show_records(desk, gateway, records, entered, made, place):
    today = timezone.localdate()
    line = {"item_id": 501, "item_name": "Work", "quantity": 1, "price": 9, "type": "item"}
    document = {"customer_id": records["contact"], "template_id": 11, "items": [line]}
    gateway.create(INVOICES, {**document, "due_date": today - timedelta(3)})
    gateway.create(ESTIMATES, {**document, "expiry_date": today})
    made.clear()
    answer = desk.get(place.format(**records))
    assert answer.status_code == 200
    assert set(PANELS[place]) == set(made)
    assert not [panel for panel in made.values() if panel.failure]
    words = text(answer)
    for kind, panel in made.items():
        if kind in FREQUENCY_LABELS:
            assert FREQUENCY_LABELS[kind] in words
        else:
            drawn = panel.picture or getattr(panel, "table", None)
            assert panel.rows or panel.figures or drawn, kind


@places
def test_panels_stand_without_records(desk, records, made, place):
    assert desk.get(place.format(**records)).status_code == 200
    assert not [panel for panel in made.values() if panel.failure]


@places
@pytest.mark.parametrize("area", ["invoices", "deals", "tasks"])
def test_a_call_that_fails_is_told_in_its_panels(
    desk, standin, monkeypatch, records, made, place, area
):
    monkeypatch.setattr("dashboard.gateway.client.Breaker.allow_request", lambda self, keys: True)
    desk.get(place.format(**records))
    read = [panel for panel in made.values() if not panel.is_awaited]
    due = {type(panel) for panel in read if area in (panel.area, *panel.calls())}
    cache.clear()
    standin.fault("status-503", operation="list", resource=area)
    answer = desk.get(place.format(**records))
    assert answer.status_code == 200
    failures = {kind: panel.failure for kind, panel in made.items() if panel.failure}
    words = unescape(answer.content.decode())
    assert set(failures) == due
    assert all(each.title[1:] in words for each in failures.values())
