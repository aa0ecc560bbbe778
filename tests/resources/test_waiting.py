"""The round trips that a list takes: one for its rows and one for all titles at the same time.

tests/reader/test_lookups.py tests that a page waits at most ROUND_TRIPS of them for titles.
"""

from threading import Barrier

import pytest

from dashboard.gateway import CONTACTS, INVOICES, Gateway
from tests.helpers import text


@pytest.fixture
def customers(gateway) -> list[int]:
    """The customers of the invoices on the first page of 25."""
    rows = gateway.list(INVOICES, page_size=25).records
    return sorted({row["customer_id"] for row in rows})


def test_titles_are_read_in_parallel_and_then_cached(
    desk, standin, gateway, customers, monkeypatch
):
    all_under_way = Barrier(len(customers), timeout=20)
    get = Gateway.get

    def together(self, endpoint, record_id):
        all_under_way.wait()  # raises unless all lookups run at the same time
        return get(self, endpoint, record_id)

    names = [gateway.get(CONTACTS, number)["cstname"] for number in customers]
    monkeypatch.setattr(Gateway, "get", together)
    standin.application.ledger.clear()
    cold = text(desk.get("/invoices/"))
    assert [name for name in names if name not in cold] == []
    asked = [entry["operation"] for entry in standin.ledger()]
    assert asked == ["list", *["get"] * len(customers)]

    standin.application.ledger.clear()
    assert text(desk.get("/invoices/")) == cold
    assert [entry["operation"] for entry in standin.ledger()] == ["list"]
