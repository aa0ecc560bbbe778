"""The ledger: requests and their effect."""

from .conftest import Caller

CONTACT = {"cstname": "Ann", "contact_type": 1}


def test_the_ledger_can_be_filtered_and_cleared(terse):
    terse("GET", "/v1/contacts")
    terse("GET", "/v1/deals")
    Caller(terse.standin, "globex")("GET", "/v1/deals")
    assert len(terse.standin.ledger(resource="deals")) == 2
    assert len(terse.standin.ledger(resource="deals", workspace="globex")) == 1
    last = terse.standin.ledger()[1]["number"]
    assert len(terse.standin.ledger(last)) == 1
    shown = terse.admin("GET", f"/ledger?since={last}&workspace=globex").json
    assert [entry["path"] for entry in shown] == ["/v1/deals"]
    assert terse.admin("GET", "/ledger?effect=true").json == []
    assert len(terse.admin("GET", "/ledger?effect=false&status=200").json) == 3
    terse.admin("DELETE", "/ledger")
    assert terse.standin.ledger() == []


def test_the_ledger_has_no_keys(terse):
    terse("GET", "/v1/contacts")
    text = terse.admin("GET", "/ledger").text
    assert terse.pair[0] not in text
    assert terse.pair[1] not in text


def test_an_idempotency_key_is_recorded_and_repeats_are_carried_out(terse):
    for _ in range(2):
        terse("POST", "/v1/contacts", CONTACT, **{"idempotency-key": "zq-1"})
    entries = terse.standin.ledger()
    assert [entry["idempotency_key"] for entry in entries] == ["zq-1", "zq-1"]
    assert len({entry["record"] for entry in entries}) == 2
