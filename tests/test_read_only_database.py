"""Every page opens while the database can be read but not written.

That a page writes nothing before its answer is checked for every GET of every test (tests/page.py);
here nothing can be written after it, either.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.test import Client
from django.utils import timezone

from dashboard.people import keys, members, permissions
from dashboard.people.models import KeyPair
from dashboard.writes.models import Draft, Write
from tests import postgres
from tests.conftest import PASSWORD, person
from tests.every_page import every_path
from tests.helpers import text

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
SIGNING_IN = ("mfa_", "account_reauthenticate")  # a challenge has to be stored before it is shown


@contextmanager
def read_only() -> Iterator[None]:
    if connection.vendor != "sqlite":
        with read_only_postgresql():
            yield
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only = 1")
        yield
        cursor.execute("PRAGMA query_only = 0")


@contextmanager
def read_only_postgresql() -> Iterator[None]:
    """Every connection that is opened meanwhile is read-only."""
    database = connection.ops.quote_name(connection.settings_dict["NAME"])
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    connection.close()
    connection.close_pool()
    yield
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = off")
        cursor.execute(f"ALTER DATABASE {database} RESET default_transaction_read_only")
    connection.close()
    connection.close_pool()


@contextmanager
def locked() -> Iterator[None]:
    """Another process writes for longer than anybody waits."""
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 0")
        other.execute("BEGIN IMMEDIATE")
        yield
        other.close()
        cursor.execute("PRAGMA busy_timeout = 5000")


@contextmanager
def full() -> Iterator[None]:
    """No page can be added to the file, nor to its log."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA max_page_count = 1")
        yield
        cursor.execute("PRAGMA max_page_count = 4294967294")


def status_of(client: Client, path: str) -> int:
    answer = client.get(path)
    b"".join(answer)  # an answer that is not read to its end closes the connection at any time
    return answer.status_code


@pytest.mark.parametrize("unwritable", [read_only, locked, full])
def test_every_page_opens_while_the_database_takes_no_write(
    standin, client_of, monkeypatch, unwritable: Callable
):
    if connection.vendor != "sqlite" and unwritable is not read_only:
        pytest.skip("SQLite alone has one file, which one process writes at a time")
    ann = person("ann", permissions.ADMINISTRATOR)
    access, secret = standin.keys["acme"][0]
    keys.connect(ann, access=access, secret=secret, workspace=members.create_workspace("Acme"))
    addresses = every_path(ann) | {
        "search for a number": "/search/?q=030+1234567",
        "unfinished form": f"/contacts/new/?draft={Draft.objects.get().pk}",
    }
    not_deleted = Write.objects.filter(resource="tasks", operation="update")
    not_deleted.update(
        operation="delete", state="not saved", sent_at=None, not_before=timezone.now()
    )
    lost = Write.objects.filter(resource="contacts", operation="update")
    lost.update(state="sending", sent_at=timezone.now(), reserved_until=timezone.now())
    addresses["unsure:show"] = f"/unsure/{lost.get().pk}/"
    client = client_of(ann)
    client.raise_request_exception = False
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    usual = {name: status_of(client, path) for name, path in addresses.items()}
    lost.update(state="sending", resolution="", reserved_until=timezone.now())
    KeyPair.objects.update(refused=True)  # until the next page notices that they are accepted
    with unwritable():
        cache.clear()  # the session is to be prolonged, and what a page shows was not read yet
        assert "was not deleted." in text(client.get("/help/"))
        statuses = {name: status_of(client, path) for name, path in addresses.items()}
        with pytest.raises(DatabaseError):
            Draft.objects.create(person=ann, token="last", path="/", content={"typed": "z" * 9_000})
    changed = {
        name: (usual[name], status)
        for name, status in statuses.items()
        if status != usual[name] and not name.startswith(SIGNING_IN)
    }
    assert changed == {}


def test_every_page_opens_on_postgresql_while_it_takes_no_write():
    if connection.vendor != "sqlite":
        pytest.skip("this is the test that runs on PostgreSQL")
    postgres.check_tests(__file__, "read_only")
