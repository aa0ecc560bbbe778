"""A business that files name."""

import pytest

from dashboard.gateway import CONTACTS, Gateway


@pytest.fixture(autouse=True)
def _one_thread(one_thread: None) -> None:
    pass


@pytest.fixture
def umbra(gateway: Gateway) -> int:
    body = {"cstname": "Umbra Ltd", "contact_type": 2, "cstemail": "in@umbra.example"}
    return gateway.create(CONTACTS, body).id
