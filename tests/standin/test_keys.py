"""Authentication and plans (reference, section 5)."""

import pytest

from .conftest import Caller, every_profile, exchange


def refused(reply):
    return reply.status == 401 and reply.json["success"] is False


@every_profile
def test_missing_keys_are_refused(caller):
    access, secret = caller.pair
    port = caller.standin.server.port
    for headers in ({}, {"x-service-access-key": access}, {"x-service-secret-key": secret}):
        assert refused(exchange(port, "GET", "/v1/contacts", None, headers))


@every_profile
def test_a_secret_of_another_pair_is_refused(caller):
    caller.pair = (caller.pair[0], caller.standin.keys["globex"][0][1])
    assert refused(caller("GET", "/v1/contacts"))


@every_profile
def test_a_revoked_pair_is_refused(caller):
    caller.pair = caller.standin.revoked_keys["acme"][0]
    assert refused(caller("GET", "/v1/contacts"))


def test_a_revoked_pair_is_refused_until_reset(terse):
    assert terse("GET", "/v1/contacts").status == 200
    assert terse.admin("POST", "/keys/revoke", {"pair": "acme/office"}).json == {"revoked": True}
    assert refused(terse("GET", "/v1/contacts"))
    terse.standin.reset(data=False)
    assert terse("GET", "/v1/contacts").status == 200


@every_profile
def test_a_record_of_another_workspace_is_refused_with_401(caller):
    other = Caller(caller.standin, "globex")
    row = next(r for r in other("GET", "/v1/contacts").json["data"]["data"] if r)
    for method in ("GET", "PUT", "DELETE"):
        assert refused(caller(method, f"/v1/contacts/{row['cstid']}", {"cstname": "x"}))
    assert other("GET", f"/v1/contacts/{row['cstid']}").status == 200


def test_a_workspace_sees_only_its_own_records(terse):
    other = Caller(terse.standin, "globex")
    mine = {r["cstid"] for r in terse("GET", "/v1/contacts?pageSize=100").json["data"]["data"]}
    theirs = {r["cstid"] for r in other("GET", "/v1/contacts?pageSize=100").json["data"]["data"]}
    assert mine
    assert theirs
    assert not mine & theirs


def test_pairs_of_one_workspace_share_its_records(terse):
    colleague = Caller(terse.standin, "acme", 1)
    assert colleague.pair != terse.pair
    assert colleague("GET", "/v1/contacts").text == terse("GET", "/v1/contacts").text


@every_profile
@pytest.mark.parametrize(
    ("area", "status"),
    [("contacts", 200), ("tasks", 200), ("deals", 403), ("leads", 403), ("invoices", 403)],
)
def test_a_plan_without_add_ons_has_contacts_and_tasks(caller, area, status):
    assert Caller(caller.standin, "solo")("GET", f"/v1/{area}").status == status


def test_the_header_names_can_be_set():
    from .conftest import make

    options = {"access_header": "X-Acme-Access-Key", "secret_header": "X-Acme-Secret-Key"}
    with make("terse", **options) as standin:
        access, secret = standin.keys["acme"][0]
        sent = {"x-acme-access-key": access, "x-acme-secret-key": secret}
        port = standin.server.port
        assert exchange(port, "GET", "/v1/contacts", None, sent).status == 200
        assert refused(Caller(standin)("GET", "/v1/contacts"))
