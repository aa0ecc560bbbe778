"""Authentication and plans (reference, section 5)."""

from .conftest import Caller, every_profile, exchange


def refused(reply):
    return reply.status == 401 and reply.json["success"] is False


@every_profile
def test_missing_keys_are_refused(caller):
    access, secret = caller.pair
    port = caller.standin.server.port
    for headers in ({}, {"x-service-access-key": access}, {"x-service-secret-key": secret}):
        assert refused(exchange(port, "GET", "/v1/contacts", None, headers))


def test_a_revoked_pair_is_refused_until_reset(terse):
    assert terse("GET", "/v1/contacts").status == 200
    assert terse.admin("POST", "/keys/revoke", {"pair": "acme/office"}).json == {"revoked": True}
    assert refused(terse("GET", "/v1/contacts"))
    terse.standin.reset(data=False)
    assert terse("GET", "/v1/contacts").status == 200


def test_the_header_names_can_be_set():
    from .conftest import make

    options = {"access_header": "X-Acme-Access-Key", "secret_header": "X-Acme-Secret-Key"}
    with make("terse", **options) as standin:
        access, secret = standin.keys["acme"][0]
        sent = {"x-acme-access-key": access, "x-acme-secret-key": secret}
        port = standin.server.port
        assert exchange(port, "GET", "/v1/contacts", None, sent).status == 200
        assert refused(Caller(standin)("GET", "/v1/contacts"))
