"""How many statements of the database a page takes, for a person with keys who left nothing open.

Each page takes two for who asks (the session; the person with role and keys) and one for the
sidebar.
"""

import pytest

from dashboard.catalogue import cached_lists

STATEMENTS = {
    "/help/": 3,
    "/contacts/": 4,
    "/invoices/": 4,
    "/": 5,
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
