"""Key pairs with permanent faults."""

import http.client
from contextlib import suppress

import pytest

from .conftest import Caller

CONTACT = {"cstname": "Struck", "contact_type": 1}
BROKEN = (OSError, http.client.HTTPException, ValueError)


def caller(standin, name) -> Caller:
    call = Caller(standin)
    call.pair = standin.personas[name]
    return call


def statuses(call, times):
    found = []
    for _ in range(times):
        with suppress(*BROKEN):
            found.append(call("GET", "/v1/contacts").status)
    return found


@pytest.mark.parametrize(
    ("name", "expected"), [("down", {503}), ("revoked", {401}), ("other-workspace", {200})]
)
def test_a_pair_with_one_fault_always_gets_it(terse, name, expected):
    assert set(statuses(caller(terse.standin, name), 5)) == expected


def test_an_expiring_pair_works_for_twenty_calls(terse):
    assert statuses(caller(terse.standin, "expiring"), 22) == [200] * 20 + [401] * 2


def test_a_lossy_pair_gets_no_response_to_an_applied_write(terse):
    call = caller(terse.standin, "lossy")
    with pytest.raises(BROKEN):
        call("POST", "/v1/contacts", CONTACT)
    (entry,) = terse.standin.ledger(operation="create")
    assert entry["effect"]
