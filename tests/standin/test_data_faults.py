"""Faults of the data: what is stored, what another user wrote, what a read shows."""

import pytest

from .conftest import every_profile

CONTACT = {"cstname": "Struck", "contact_type": 1, "cstaddress": "Old Street"}
CHANGED = "Changed by somebody else"


def create(call) -> str:
    return f"/v1/contacts/{call('POST', '/v1/contacts', CONTACT).json['data']['cstid']}"


def read(call, url):
    data = call("GET", url).json["data"]
    return data.get("contact", data)


@every_profile
def test_a_stale_read_shows_the_record_as_before_its_last_write(caller):
    url = create(caller)
    caller("PUT", url, {"cstname": "Renamed"})
    late = caller("GET", url, x_standin_fault="stale").json["data"]
    assert late.get("contact", late)["cstname"] == "Struck"
    assert read(caller, url)["cstname"] == "Renamed"


@pytest.mark.parametrize(
    ("fault", "name", "tax"),
    [("interleave", "Mine", CHANGED), ("interleave-same", "Mine", None)],
)
def test_interleave_changes_the_record_before_an_update(terse, fault, name, tax):
    url = create(terse)
    terse("PUT", url, {"cstname": "Mine"}, x_standin_fault=fault)
    record = read(terse, url)
    assert (record["cstname"], record.get("ct_taxnumber")) == (name, tax)
    theirs, mine = terse.standin.ledger(operation="update")
    assert (theirs["pair"], mine["pair"]) == ("somebody else", "acme/office")
    assert ("cstname" in theirs["body"]) == (fault == "interleave-same")


def test_interleave_gone_deletes_between_read_and_write(terse):
    url = create(terse)
    assert terse("PUT", url, {"cstname": "x"}, x_standin_fault="interleave-gone").status == 404
    other = create(terse)
    assert terse("GET", other, x_standin_fault="interleave-gone").status == 200
    assert terse("GET", other).status == 404


@pytest.mark.parametrize(("fault", "status"), [("partial", 500), ("partial-saved", 200)])
def test_partial_stores_required_fields_and_every_second_other_field(terse, fault, status):
    body = {"cstname": "Half", "contact_type": 1, "cstaddress": "A", "ct_taxnumber": "B"}
    reply = terse("POST", "/v1/contacts", body, x_standin_fault=fault)
    assert reply.status == status
    (entry,) = terse.standin.ledger(operation="create")
    record = read(terse, f"/v1/contacts/{entry['record']}")
    assert ("cstaddress" in record, "ct_taxnumber" in record) == (False, True)
    assert entry["body"] == body  # the ledger keeps what was asked


@pytest.mark.parametrize(("fault", "day"), [("clock-ahead", "03"), ("clock-behind:86400", "01")])
def test_clock_faults_shift_the_creation_time(terse, fault, day):
    reply = terse("POST", "/v1/contacts", CONTACT, x_standin_fault=fault)
    record = read(terse, f"/v1/contacts/{reply.json['data']['cstid']}")
    assert record["cstcreated_on"].startswith(f"2026-03-{day}")


@pytest.mark.parametrize("fault", ["interleave-before", "partial-saved-before", "stale-before"])
def test_a_data_fault_with_before_does_not_apply_the_write(terse, fault):
    url = create(terse)
    terse("PUT", url, {"cstname": "Mine"}, x_standin_fault=fault)
    assert read(terse, url)["cstname"] == "Struck"
