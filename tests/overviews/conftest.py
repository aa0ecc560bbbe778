"""The reference lists of the workspace, tasks that can be changed, and HTML of blocks."""

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
def task(gateway, zebra):
    starts = f"{timezone.localdate()}T09:00:00"
    return gateway.create(TASKS, {"title": "Call", "start_datetime": starts, "cstid": zebra}).id
