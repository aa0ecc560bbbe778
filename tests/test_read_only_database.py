"""Every page opens while the database can be read but not written."""

import pytest
from django.db import connection
from django.utils import timezone

from dashboard.people import keys, members, permissions
from dashboard.writes import ledger
from dashboard.writes.models import Write
from tests.conftest import PASSWORD, person
from tests.every_page import every_path
from tests.helpers import text

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


BEGIN = ("mfa_", "staff:")  # pages that store what they begin, or lock who is changed


@pytest.fixture
def read_only():
    if connection.vendor != "sqlite":
        pytest.skip("SQLite alone can refuse every write of one connection")

    def change(on: bool) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA query_only = {on:d}")

    yield change
    change(False)


def test_every_page_opens_while_the_database_takes_no_write(standin, client_of, read_only, caplog):
    ann = person("ann", permissions.ADMINISTRATOR)
    access, secret = standin.keys["acme"][0]
    keys.connect(ann, access=access, secret=secret, workspace=members.create_workspace("Acme"))
    addresses = every_path(ann)
    not_deleted = Write.objects.filter(resource="tasks", operation="update")
    not_deleted.update(
        operation="delete", state="not saved", sent_at=None, not_before=timezone.now()
    )
    lost = Write.objects.filter(resource="contacts", operation="update")
    lost.update(state="sending", sent_at=timezone.now(), reserved_until=timezone.now())
    client = client_of(ann)
    client.raise_request_exception = False
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    read_only(True)
    assert "was not deleted." in text(client.get("/help/"))
    statuses = {name: client.get(path).status_code for name, path in addresses.items()}
    read_only(False)
    failed = {name for name, status in statuses.items() if status in (500, 503)}
    assert {name for name in failed if not name.startswith(BEGIN)} == set()
    assert "after a write was not done" not in caplog.text
    assert ledger.end_lost() == 1
