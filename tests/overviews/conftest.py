"""The reference lists of the workspace, and HTML of blocks."""

import re

import pytest

from dashboard.catalogue import services as catalogue
from dashboard.gateway import CONTACTS
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
