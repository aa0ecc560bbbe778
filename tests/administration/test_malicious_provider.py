"""Single sign-on against a provider that lies, breaks the protocol or sends claims of any shape:
nobody gets in by it, and no answer is an error page.
"""

import base64
import json
import os
from typing import Any

import jwt
import pytest
from allauth.socialaccount.models import SocialAccount
from cryptography.hazmat.primitives.asymmetric import rsa
from django.core.cache import cache
from django.test import Client

from dashboard.people import permissions
from dashboard.people.models import User
from tests.administration.identity_provider import CLIENT, LOGIN, MISSING, sign_in
from tests.conftest import person
from tests.helpers import text
from tests.signing_in import is_signed_in

KINDS = [
    MISSING,
    None,
    True,
    0,
    -1.5,
    "",
    "text",
    "a\0b\n\ud800",
    [],
    [None, 5, "desk", ["desk", [["desk"]]], {"desk": 1}],
    {},
    {"desk": {"desk": [1]}},
]
HUGE = 10**400
MORE_KINDS = [False, 1, HUGE, float("inf"), float("nan"), "x" * 100_000, "1", [[]], ["desk"]]
CHECKED = ("iss", "aud", "exp", "iat", "nbf", "jti")
UNUSED = ("name", "given_name", "family_name", "preferred_username", "picture", "azp", "amr")
ALL = os.environ.get("PROVIDER_CLAIMS") == "all"


def attempt(provider, **wrong: Any) -> tuple[int, bool]:
    """The status of a sign-in where the provider does these things wrong, and whether it worked."""
    for name, value in wrong.items():
        setattr(provider, name, value)
    cache.clear()  # allauth limits nothing here, but remembers used tokens
    client = sign_in(provider, Client(raise_request_exception=False))
    return client.response.status_code, client.session.get("_auth_user_id") is not None


def some(step: int, start: int) -> list[Any]:
    """Every so many of the kinds of JSON; all of them, and more, with the switch."""
    return KINDS + MORE_KINDS if ALL else KINDS[start % step :: step]


def never(value: Any) -> bool:
    return False


def names_a_group(value: Any) -> bool:
    return value == "desk" or (isinstance(value, list) and "desk" in value)


@pytest.mark.parametrize(
    ("part", "claim", "is_sound"),
    [
        ("token", "sub", lambda value: value == "1"),
        ("userinfo", "sub", lambda value: value == "1"),
        ("token", "groups", names_a_group),
        ("userinfo", "groups", names_a_group),
        ("token", "nonce", never),
        ("userinfo", "email", never),
        ("userinfo", "email_verified", lambda value: value is True),
    ],
)
def test_a_claim_that_is_used_counts_only_as_what_it_should_be(
    provider, viewer, part, claim, is_sound
):
    for value in some(2, len(claim + part)):
        SocialAccount.objects.all().delete()
        permissions.set_role(viewer, permissions.VIEWER)
        if claim == "groups":
            provider.claims["groups"] = MISSING
        status, inside = attempt(provider, **{part: {claim: value}})
        assert status < 500, value
        assert inside == is_sound(value), value


def test_claims_that_are_not_used_may_be_anything(provider, viewer):
    """Those of the other part as well: address and nonce are read in one of them."""
    for value in some(2, 0):
        anything = dict.fromkeys(UNUSED, value)
        token = {**anything, "email": value, "email_verified": value}
        assert attempt(provider, token=token, userinfo={**anything, "nonce": value}) == (302, True)


@pytest.mark.slow
@pytest.mark.parametrize("claim", CHECKED)
def test_a_claim_that_is_checked_ends_in_no_error_page(provider, viewer, claim):
    for value in some(4, CHECKED.index(claim)):
        status, inside = attempt(provider, token={claim: value}, userinfo={claim: value})
        assert status < 500, value
        if claim in ("iss", "aud", "exp") and value != HUGE:  # a token may end in a far future
            assert not inside, value


def test_an_address_that_only_looks_alike_finds_nobody(provider, db):
    person("nokeys", permissions.EDITOR)
    lookalikes = [
        *("no\u212aeys@example.test", "\uff4eokeys@example.test", "nokey\u017f@example.test"),
        *("n\u043ekeys@example.test", "nokeys@example\u3002test", "nokeys@example.te\u017ft"),
        *(" nokeys@example.test", "nokeys@example.test\n", "nokeys\0@example.test"),
    ]
    for address in lookalikes:
        assert attempt(provider, userinfo={"email": address}) == (403, False), address
    assert attempt(provider, userinfo={"email": "NoKeys@Example.test"}) == (302, True)


def signed_by_another_key(claims: dict[str, Any], token: str) -> str:
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return jwt.encode(claims, other, algorithm="RS256", headers={"kid": "1"})


def signed_by_nobody(claims: dict[str, Any], token: str) -> str:
    return jwt.encode(claims, None, algorithm="none", headers={"kid": "1"})


def signed_by_the_secret(claims: dict[str, Any], token: str) -> str:
    return jwt.encode(claims, "s" * 32, algorithm="HS256", headers={"kid": "1"})


def with_another_subject_below_the_signature(claims: dict[str, Any], token: str) -> str:
    head, _, signature = token.split(".")
    body = (
        base64.urlsafe_b64encode(json.dumps({**claims, "sub": "2"}).encode()).decode().rstrip("=")
    )
    return f"{head}.{body}.{signature}"


def without_the_name_of_its_key(claims: dict[str, Any], token: str) -> str:
    return jwt.encode(claims, "s" * 32, algorithm="HS256")


@pytest.mark.parametrize(
    "forged",
    [
        signed_by_another_key,
        signed_by_nobody,
        signed_by_the_secret,
        with_another_subject_below_the_signature,
        without_the_name_of_its_key,
    ],
)
def test_a_token_with_a_wrong_signature_is_refused(provider, viewer, forged):
    assert attempt(provider, forged=forged) == (401, False)


@pytest.mark.parametrize("token", [MISSING, None, "", "x.y.z", 5, [], {"sub": "1"}])
def test_a_token_is_required(provider, viewer, token):
    assert attempt(provider, forged=lambda claims, right: token) == (401, False)


@pytest.mark.parametrize(
    "wrong",
    [
        {"aud": "other"},
        {"aud": [CLIENT, "other"]},
        {"aud": [CLIENT, "other"], "azp": "other"},
        {"iss": "https://evil.test"},
        {"exp": 1},
        {"exp": MISSING},
        {"sub": "2"},
        {"nonce": "linked to a different single sign-on"},
        {"nonce": MISSING},
    ],
)
def test_a_token_that_was_made_for_something_else_is_refused(provider, viewer, wrong, security_log):
    assert attempt(provider, token=wrong, userinfo={"sub": "1"}) == (401, False)
    assert [line["event"] for line in security_log()] == ["single sign-on failed"]


def test_the_security_log_says_what_was_wrong_and_holds_no_token(provider, viewer, security_log):
    attempt(provider, token={"nonce": "linked to a different single sign-on"})
    attempt(provider, answers={"/token": {"id_token": "canary"}})
    assert [line["why"] for line in security_log()] == ["another nonce", "unknown"]


def test_a_token_for_several_clients_has_to_name_this_one(provider, viewer):
    several = {"aud": [CLIENT, "other"], "azp": CLIENT}
    assert attempt(provider, token=several) == (302, True)


def test_each_sign_in_is_asked_with_another_nonce_and_by_no_parameter_of_a_link(provider, viewer):
    query = "?auth_params=nonce%3Dmine%26redirect_uri%3Dhttps://evil.test&scope=offline_access"
    asked = [Client().get(f"{LOGIN}{query}")["Location"] for _ in range(2)]
    for location in asked:
        assert provider.authorize(location).startswith("/accounts/oidc/office/login/callback/")
    first, second = provider.codes.values()
    assert len(first["nonce"]) > 40
    assert first["nonce"] != second["nonce"]
    assert sorted(first["scope"].split()) == ["email", "openid", "profile"]


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/token", "/userinfo"])
def test_an_answer_of_any_shape_ends_in_no_error_page(provider, viewer, path):
    for answer in [b"", b"<html>", b"[" * 100_000, *some(2, len(path))]:
        assert attempt(provider, answers={path: answer}) == (401, False), answer


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/.well-known/openid-configuration", "issuer"),
        ("/.well-known/openid-configuration", "authorization_endpoint"),
        ("/.well-known/openid-configuration", "token_endpoint"),
        ("/.well-known/openid-configuration", "userinfo_endpoint"),
        ("/.well-known/openid-configuration", "jwks_uri"),
        ("/.well-known/openid-configuration", "token_endpoint_auth_methods_supported"),
        ("/jwks", "keys"),
        ("/token", "access_token"),
        ("/token", "expires_in"),
    ],
)
def test_a_part_of_an_answer_of_any_shape_ends_in_no_error_page(provider, viewer, path, key):
    right = provider.answer(path, {})[1]
    for value in some(4, len(key)):
        wrong = {name: each for name, each in {**right, key: value}.items() if each is not MISSING}
        assert attempt(provider, answers={path: wrong})[0] < 500, value


def test_a_provider_that_is_away_ends_in_no_error_page(provider, viewer, settings):
    settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]["settings"] = {
        "server_url": "http://127.0.0.1:1"
    }
    assert attempt(provider) == (401, False)


def test_a_provider_that_describes_itself_as_another_is_refused(provider, viewer):
    path = "/.well-known/openid-configuration"
    right = provider.answer(path, {})[1]
    other = {"answers": {path: {**right, "issuer": "https://evil.test"}}}
    for token in ({}, {"iss": "https://evil.test"}):
        assert attempt(provider, **other, token=token) == (401, False)


def test_nobody_is_found_by_address_once_they_are_linked(provider, viewer, editor):
    sign_in(provider)
    provider.claims["sub"] = "2"  # a new colleague who was given the address
    client = sign_in(provider)
    assert client.response.status_code == 403
    assert "administrator to unlink single sign-on" in text(client.response)
    assert not is_signed_in(client)
    assert [row.uid for row in SocialAccount.objects.all()] == ["1"]
    provider.claims["groups"] = []
    sign_in(provider)
    assert User.objects.get(pk=viewer.pk).role == permissions.EDITOR  # the other one's loss


def test_of_two_identities_from_earlier_neither_gets_in(provider, viewer):
    sign_in(provider)
    SocialAccount.objects.create(user=viewer, provider="office", uid="2")
    for subject in ("1", "2"):
        provider.claims["sub"] = subject
        assert "unlink single sign-on" in text(sign_in(provider).response)


def test_only_the_claims_that_are_used_are_stored(provider, viewer):
    provider.claims |= {"name": "Vera V.", "phone_number": "+44 1", "secret": "canary"}
    sign_in(provider)
    [row] = SocialAccount.objects.all()
    for part in row.extra_data.values():
        assert set(part) == {"sub", "nonce", "email", "email_verified", "groups"}
    assert row.extra_data["userinfo"]["groups"] == ["desk"]
