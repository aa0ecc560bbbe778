"""How many statements of the database a page takes, for a person with keys who left nothing open.

Each page takes two for who asks (the session; the person with role, keys and choices) and one for
the sidebar. A form takes one for the drafts of its address, one for the settings of the workspace,
and one to name whom to ask where a list of the workspace is empty.
"""

import pytest

from dashboard.catalogue import cached_lists

STATEMENTS = {
    "/help/": 3,
    "/contacts/": 4,
    "/invoices/": 4,
    "/": 5,
    "/contacts/new/": 5,
    "/tasks/new/": 5,
    "/deals/new/": 6,
    "/invoices/new/": 6,
}


@pytest.fixture
def fresh_lists(monkeypatch):
    """The reference lists count as fresh: a slow machine would read their version again."""
    monkeypatch.setattr(cached_lists, "FRESH", 3600)


@pytest.mark.parametrize(("address", "most"), STATEMENTS.items())
def test_a_page_takes_so_many_statements(
    desk, fresh_lists, address, most, django_assert_num_queries
):
    desk.get(address)
    with django_assert_num_queries(most):
        assert desk.get(address).status_code == 200


def test_a_form_of_a_workspace_with_lists_takes_five_statements(
    desk, lists, fresh_lists, django_assert_num_queries
):
    desk.get("/invoices/new/")
    with django_assert_num_queries(5):
        assert desk.get("/invoices/new/").status_code == 200
