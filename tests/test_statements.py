"""How many statements of the database a page takes before its answer is sent, for a person with
keys who left nothing open.

Each page takes two for who asks (the session; the person with role, keys and choices) and one for
the sidebar. A list takes one for its views. A form takes one for the drafts of its address, one for
the settings of the workspace where a field needs them, and one to name whom to ask where a list of
the workspace is empty. A record takes one for its history; tasks and leads one for the operations
that are switched on; documents two for the settings and for what they were made from.
"""

import pytest
from django.db import DatabaseError, connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from dashboard.catalogue import cached_lists
from dashboard.catalogue import load_lists as catalogue
from dashboard.gateway import ENDPOINTS
from dashboard.preferences import recents
from dashboard.standin.reference_data import reference_data
from tests.helpers import fields

STATEMENTS = {
    "/help/": 3,
    "/": 5,
    "/contacts/": 4,
    "/leads/": 5,
    "/deals/": 4,
    "/tasks/": 5,
    "/estimates/": 4,
    "/invoices/": 4,
    "/contacts/new/": 5,
    "/deals/new/": 6,
    "/tasks/new/": 5,
    "/estimates/new/": 6,
    "/invoices/new/": 6,
    "/unfinished/": 5,
}
OF_RECORDS = {"contacts": 5, "leads": 5, "deals": 5, "tasks": 5, "estimates": 6, "invoices": 6}


@pytest.fixture(autouse=True)
def _fresh_lists(monkeypatch):
    """The reference lists count as fresh: a slow machine would read their version again."""
    monkeypatch.setattr(cached_lists, "FRESH", 3600)


def statements_of(client: Client, address: str) -> tuple[list[str], list[str]]:
    """What a page asks of the database before its answer is sent, and after that."""
    for _ in range(2):  # the first visits learn names
        assert client.get(address).status_code == 200
    requests = RequestFactory()
    requests.cookies = client.cookies
    with CaptureQueriesContext(connection) as before:
        response = client.handler.get_response(requests.get(address))
    with CaptureQueriesContext(connection) as after:
        response.close()
    return [each["sql"] for each in before], [each["sql"] for each in after]


@pytest.mark.parametrize(("address", "most"), STATEMENTS.items())
def test_a_page_takes_so_many_statements(desk, address, most):
    before, after = statements_of(desk, address)
    assert (len(before), after) == (most, []), before


@pytest.mark.parametrize(("name", "most"), OF_RECORDS.items())
def test_a_record_is_noted_as_opened_once_its_page_was_sent(desk, gateway, name, most):
    [endpoint] = [each for each in ENDPOINTS if each.name == name]
    record_id = gateway.list(endpoint).records[0].id
    before, after = statements_of(desk, f"/{name}/{record_id}/")
    assert len(before) == most, before
    assert all(each.lstrip().startswith(("SELECT", "WITH")) for each in before)
    assert [each.split()[0] for each in after] == ["UPDATE"]


def test_a_record_that_cannot_be_noted_as_opened_is_shown_all_the_same(desk, monkeypatch, caplog):
    def fails(**values: object) -> None:
        raise DatabaseError("away")

    monkeypatch.setattr(recents, "note_opened", fails)
    assert desk.get("/contacts/1060/").status_code == 200
    assert "DatabaseError: away" in caplog.text


def test_a_form_of_a_workspace_with_lists_takes_five_statements(desk):
    catalogue.fill("Acme", reference_data("acme"))
    assert len(statements_of(desk, "/invoices/new/")[0]) == 5


def test_a_create_takes_twelve_statements(desk):
    """Two for who asks, one for whom to ask, four for the draft, three for the write, one for the
    message in the session; and one as the form names its workspace by no id. Others mark where
    transactions begin and end.
    """
    sent = fields(desk.get("/contacts/new/")) | {"cstname": "Zebra Ltd"}
    with CaptureQueriesContext(connection) as queries:
        assert desk.post("/contacts/new/", sent).status_code == 302
    statements = [each["sql"] for each in queries if "SAVEPOINT" not in each["sql"]]
    assert len(statements) == 12, statements
