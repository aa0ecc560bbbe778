"""The reference lists of the workspace, tasks that can be changed, and HTML of blocks."""

import html
import re

import pytest
from django.utils import timezone

from dashboard.catalogue import services as catalogue
from dashboard.gateway import CONTACTS, TASKS
from dashboard.standin.reference_data import reference_data


@pytest.fixture
def lists(db):
    catalogue.fill("Acme", reference_data("acme"))


@pytest.fixture
def zebra(gateway) -> int:
    """A business without any records of others."""
    return gateway.create(CONTACTS, {"cstname": "Zebra Ltd", "contact_type": 2}).id


@pytest.fixture
def block():
    """block(page, name): the HTML of one block of a page."""

    def find(page, name: str) -> str:
        return re.search(
            rf'<section class="block" id="block-{name}".*?</section>', page.content.decode(), re.S
        )[0]

    return find


@pytest.fixture
def changing_tasks(standin, settings):
    """Updating tasks is switched on, in the stand-in and here."""
    standin.application.unpublished = True
    settings.API_UNPUBLISHED = frozenset({"tasks.update"})
    yield
    standin.application.unpublished = False


@pytest.fixture
def moving_deals(standin, settings):
    """The stage of a deal may be changed, in the stand-in and here."""
    standin.application.unpublished = True
    settings.API_UNPUBLISHED = frozenset({"deals.deal_current_stage"})
    yield
    standin.application.unpublished = False


@pytest.fixture
def undo():
    """undo(page): the address and the fields of the Undo beside the message of a page."""

    def find(page):
        found = re.search(
            r'<div class="notice success">.*?</form></div>', page.content.decode(), re.S
        )
        assert 'data-key="z"' in found[0]
        fields = re.findall(r'name="(\w+)" value="(.*?)"', found[0])
        url = re.search(r'action="([^"]*)"', found[0])[1]
        return url, {name: html.unescape(value) for name, value in fields}

    return find


@pytest.fixture
def task(gateway, zebra):
    starts = f"{timezone.localdate()}T09:00:00"
    return gateway.create(TASKS, {"title": "Call", "start_datetime": starts, "cstid": zebra}).id
