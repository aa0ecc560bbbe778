"""Two workers at the same deletions on PostgreSQL, where both look for tasks at the same moment."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from dashboard.gateway import CONTACTS
from dashboard.ledger.models import Write
from dashboard.resources.deletions import send_deletion
from tests.helpers import age_deletions, ask_to_delete, run_worker

AT_ONCE = 6


@pytest.mark.django_db(transaction=True)
def test_two_workers_send_each_deletion_once(desk, gateway, standin):
    if connection.vendor != "postgresql":
        pytest.skip("needs TEST_DATABASE_URL=postgres://... (tests/faults has the same on SQLite)")
    for number in range(AT_ONCE):
        made = gateway.create(CONTACTS, {"cstname": f"Zebra {number}", "contact_type": 1})
        ask_to_delete(desk, f"/contacts/{made.id}/")
    for pk in Write.objects.values_list("pk", flat=True):
        send_deletion.enqueue(pk)  # a second task for each
    age_deletions(timedelta(seconds=9))
    with ThreadPoolExecutor(2) as pool:
        for worker in [pool.submit(work) for _ in range(2)]:
            worker.result()
    assert len(standin.ledger(operation="delete")) == AT_ONCE
    assert set(Write.objects.values_list("state", flat=True)) == {Write.State.SAVED}


def work() -> None:
    """One worker with a connection of its own."""
    try:
        run_worker()
    finally:
        connection.close()
