"""A manager with keys, whose jobs run in this process."""

from typing import Any

import pytest
from django.test import Client

from dashboard.jobs import rows
from dashboard.jobs.models import Job
from dashboard.writes import verification


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    # The database of these tests is in one transaction, which other threads do not see.
    monkeypatch.setattr(rows, "AT_ONCE", 1)
    monkeypatch.setattr(verification, "RECONCILE_AT", (0,))


def propose(desk: Client, resource: str, do: str, ids: Any, **fields: Any) -> Job:
    """Fill the page of a bulk job; the proposed job."""
    data = {"do": do, "chosen": ids, "filled": "1", **fields}
    answer = desk.post(f"/bulk/{resource}/", data)
    assert answer.status_code == 302, answer.context["form"].errors
    assert answer["Location"].startswith("/bulk/"), answer["Location"]
    return Job.objects.get(pk=answer["Location"].strip("/").rpartition("/")[2])
