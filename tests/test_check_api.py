"""check_api prints a table of the areas that work."""

from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from dashboard.standin import StandIn
from tests.helpers import encryption_key
from tests.workspaces import connect

pytestmark = pytest.mark.django_db  # the switches of operations are stored there


@pytest.fixture(scope="module")
def standin() -> Iterator[StandIn]:
    with StandIn(profile="verbose", size="small", seed=1) as running:
        yield running


@pytest.fixture
def api(standin, settings, monkeypatch) -> StandIn:
    settings.API_BASE_URL = standin.url
    use(monkeypatch, standin.keys["acme"][0])
    return standin


def use(monkeypatch, pair) -> None:
    monkeypatch.setenv("API_ACCESS_KEY", pair[0])
    monkeypatch.setenv("API_SECRET_KEY", pair[1])


def check(*args: str) -> list[str]:
    output = StringIO()
    try:
        call_command("check_api", *args, stdout=output)
    except CommandError as error:
        output.write(f"error: {error}")
    return output.getvalue().splitlines()


def test_every_area_that_answers_works(api):
    assert [line.split() for line in check()] == [
        [area, "works"] for area in ("Contacts", "Leads", "Deals", "Tasks", "Estimates", "Invoices")
    ]


def test_an_area_outside_the_plan_is_no_failure(api, monkeypatch):
    use(monkeypatch, api.keys["solo"][0])
    lines = check()
    assert any("not in your plan" in line for line in lines)
    assert len(lines) == 6


def test_refused_keys_fail(api, monkeypatch):
    use(monkeypatch, next(pair for pairs in api.revoked_keys.values() for pair in pairs))
    lines = check()
    assert "rejected" in lines[0]
    assert lines[-1].startswith("error: Not working: Contacts, Leads,")


def test_an_unreachable_service_fails(settings, monkeypatch):
    settings.API_BASE_URL = "http://127.0.0.1:9"
    use(monkeypatch, ("some-access", "some-secret"))
    lines = check()
    assert "unreachable" in lines[0]
    assert lines[-1].startswith("error: Not working")
    assert "some-" not in "".join(lines)


def test_keys_of_uses_the_stored_keys_of_a_user(api, editor, monkeypatch):
    use(monkeypatch, ("", ""))
    access, secret = api.keys["acme"][0]
    connect(editor, access=access, secret=secret, workspace="Acme")
    assert "works" in check("--keys-of", editor.username)[0]


def test_without_keys_the_error_names_both_ways_to_give_them(viewer, settings, monkeypatch):
    use(monkeypatch, ("", ""))
    assert check() == ["error: Add --keys-of USER, or set API_ACCESS_KEY and API_SECRET_KEY."]
    assert check("--keys-of", "nobody") == ["error: No account has the username nobody."]
    missing = check("--keys-of", viewer.username)
    assert missing == [f"error: {viewer.username} has not connected any keys."]
    connect(viewer, access="an-access", secret="a-secret", workspace="Acme")
    settings.FIELD_ENCRYPTION_KEYS = [encryption_key()]
    assert "can't be decrypted" in check("--keys-of", viewer.username)[0]
