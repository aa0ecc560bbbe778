"""A record, and the page of its pending deletion."""

import pytest
from django.test import Client

from dashboard.gateway import CONTACTS, Gateway
from tests.helpers import ask_to_delete


@pytest.fixture
def contact(gateway: Gateway) -> int:
    body = {"cstname": "Zebra Ltd", "contact_type": 2, "cstemail": "zoe@zebra.example"}
    return gateway.create(CONTACTS, body).id


@pytest.fixture
def pending_url(desk: Client, contact: int) -> str:
    """The address of a pending deletion."""
    return ask_to_delete(desk, f"/contacts/{contact}/")
