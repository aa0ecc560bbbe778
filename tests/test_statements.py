"""How many statements of the database a page takes before its answer is sent, for a person with
keys who left nothing open.

Each page takes two for who asks (the session; the person with role, keys, choices and the settings
of the workspace) and one for the sidebar, which tells whether there are drafts. A list takes one
for its views. A form takes one to name whom to ask where a list of the workspace is empty. A record
takes one for its history, a contact one for the reminders in it; documents one for what they were
made from. Today takes one for the reminders of what is overdue.
"""

from collections.abc import Iterator

import pytest
from django.db import DatabaseError, connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from dashboard.gateway import ENDPOINTS
from dashboard.office import recents
from tests.page_forms import fields

STATEMENTS = {
    "/help/": 3,
    "/": 5,
    "/contacts/": 4,
    "/leads/": 4,
    "/deals/": 4,
    "/tasks/": 4,
    "/estimates/": 4,
    "/invoices/": 4,
    "/contacts/new/": 4,
    "/deals/new/": 4,
    "/tasks/new/": 4,
    "/estimates/new/": 4,
    "/invoices/new/": 4,
    "/unfinished/": 7,
}
OF_RECORDS = {"contacts": 5, "leads": 4, "deals": 4, "tasks": 4, "estimates": 5, "invoices": 5}


pytestmark = pytest.mark.usefixtures("fresh_lists")


def statements_of(client: Client, address: str) -> tuple[list[str], list[str]]:
    """What a page asks of the database before its answer is sent, and after that."""
    for _ in range(2):  # the first visits learn names
        assert client.get(address).status_code == 200
    return statements_of_visit(client, address)


def statements_of_visit(client: Client, address: str) -> tuple[list[str], list[str]]:
    """The same of one visit."""
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
def test_a_record_that_is_the_last_one_again_is_not_noted_as_opened(desk, gateway, name, most):
    """Whether it is that is asked once its page was sent."""
    [endpoint] = [each for each in ENDPOINTS if each.name == name]
    record_id = gateway.list(endpoint).records[0].id
    before, after = statements_of(desk, f"/{name}/{record_id}/")
    assert len(before) == most, before
    assert all(each.lstrip().startswith(("SELECT", "WITH")) for each in before)
    assert [each.split()[0] for each in after] == ["SELECT"]


def test_a_record_that_cannot_be_noted_as_opened_is_shown_all_the_same(desk, monkeypatch, caplog):
    def fails(**values: object) -> None:
        raise DatabaseError("away")

    monkeypatch.setattr(recents, "note_opened", fails)
    assert desk.get("/contacts/1060/").status_code == 200
    assert "DatabaseError: away" in caplog.text


def test_the_page_after_a_save_writes_nothing_before_it_is_sent(desk):
    """It shows the message of the save."""
    typed = fields(desk.get("/contacts/new/"), cstname="Zebra Ltd")
    before, _ = statements_of_visit(desk, desk.post("/contacts/new/", typed).url)
    assert all(each.lstrip().startswith(("SELECT", "WITH")) for each in before), before


def test_a_form_of_a_workspace_with_lists_takes_three_statements(desk, lists):
    assert len(statements_of(desk, "/invoices/new/")[0]) == 3


LINE = {"line_0_item_name": "Work", "line_0_item_id": "501", "line_0_quantity": "2"}
INVOICE = {"template_id": "11", **LINE, "line_0_price": "10"}
# The address of a form, what is typed, statements, and those transactions that change rows.
SAVES = {
    "new contact": ("/contacts/new/", {"cstname": "Zebra Ltd"}, 6, 3),
    "new invoice": ("/invoices/new/?customer=1060", INVOICE, 8, 3),
    "changed contact": ("/contacts/1060/edit/", {"ct_taxnumber": "ZX-81"}, 10, 4),
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", SAVES)
def test_a_save_takes_so_many_statements_and_transactions(desk, name, lists):
    """Of a form whose draft was stored as it was typed, in a workspace with lists.

    Two for who asks, one for the draft, one or two for the write, two for its outcome with the end
    of the draft. An edit reserves its record first: whether a dead process has left it, whether
    the form was sent before, the row, and the row again.
    """
    address, typed, most, commits = SAVES[name]
    if name == "new invoice":  # its template is remembered
        assert desk.post(address, fields(desk.get(address), **typed)).status_code == 302
    desk.post(address, fields(desk.get(address), draw="all"))  # reads the lists of all fields
    sent = fields(desk.get(address), **typed)
    assert desk.post("/unfinished/keep/", sent).status_code == 200
    with CaptureQueriesContext(connection) as queries:
        assert desk.post(address, sent).status_code == 302
    asked = [each["sql"] for each in queries]
    statements = [each for each in asked if each.split()[0] not in BOUNDS]
    assert (len(statements), len(list(changes_of(asked)))) == (most, commits), asked


BOUNDS = {"BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE"}


def changes_of(asked: list[str]) -> Iterator[list[str]]:
    """The statements that change rows, those of one transaction together."""
    under_way: list[str] | None = None
    for statement in asked:
        word = statement.split()[0]
        if word == "BEGIN":
            under_way = []
        elif word == "COMMIT":
            if under_way:
                yield under_way
            under_way = None
        elif word in ("INSERT", "UPDATE", "DELETE"):
            if under_way is None:
                yield [statement]
            else:
                under_way.append(statement)
