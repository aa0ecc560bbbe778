"""Tasks and deals that can be changed, and HTML of blocks."""

import html
import re

import pytest
from django.utils import timezone

from dashboard.gateway import TASKS


@pytest.fixture
def block():
    """block(page, name): the HTML of one block of a page."""

    def find(page, name: str) -> str:
        return re.search(
            rf'<section class="block" id="block-{name}".*?</section>', page.content.decode(), re.S
        )[0]

    return find


@pytest.fixture
def changing_tasks(switch_on):
    switch_on("tasks.update")


@pytest.fixture
def moving_deals(switch_on):
    switch_on("deals.deal_current_stage")


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
