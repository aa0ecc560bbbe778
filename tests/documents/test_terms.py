"""The payment terms of a customer are those of most of their last invoices."""

import pytest

from dashboard.office import choices as preferences


@pytest.mark.parametrize(
    ("given", "offered"),
    [
        ([44], 30),
        ([30, 44], 30),
        ([14, 14, 44], 14),
        ([14, 14, 10, 10], 10),
        ([14, 14, 30, 30, 30], 30),
        ([14, 14, 7, 8, 9, 10], 30),  # all of the last five differ
    ],
)
def test_the_days_of_most_of_the_last_invoices_are_offered(db, given, offered):
    for days in given:
        preferences.remember_days(workspace="Acme", customer=7, days=days, usual=30)
    assert preferences.due_days("Acme", 7, usual=30) == offered
