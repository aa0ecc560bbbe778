"""No address answers numbers and characters that nobody types with an error of ours."""

import re

import pytest
from django.test import Client

from tests.conftest import PASSWORD
from tests.test_access import ADDRESSES, SAMPLES

pytestmark = pytest.mark.slow

BEYOND = str(2**63)  # of any column of a database
NUMBERS = {"beyond": BEYOND, "longer": "9" * 23, "5,000 digits": "9" * 5000}
# These end the session or replace the password.
PATHS = {
    name: path
    for name, path in ADDRESSES.items()
    if name not in ("account_logout", "account_change_password")
}


@pytest.fixture
def client(seeing_errors) -> Client:
    """An administrator who has just given the password."""
    seeing_errors.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return seeing_errors


def path_to(name: str, number: object) -> str:
    """The address with this number in place of the sample."""
    return re.sub(rf"/{SAMPLES['pk']}/", f"/{number}/", PATHS[name])


def broken(response) -> bool:
    return response.status_code == 500


@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
def test_no_number_in_a_path_causes_an_error(client, number):
    paths = {path_to(name, number) for name in PATHS} - set(PATHS.values())
    assert f"/settings/keys/people/{number}/remove/" in paths
    answers = [getattr(client, method)(path) for path in paths for method in ("get", "post")]
    assert not [one.request["PATH_INFO"] for one in answers if broken(one)]


@pytest.mark.parametrize(
    "path", ["/history/?who=%00", "/contacts/?a%00=1", "/contacts/%00/", "/unsure/form/%00/"]
)
def test_an_address_with_a_nul_character_gets_the_400_page(client, path):
    response = client.get(path)
    assert response.status_code == 400
    assert "Entry Desk could not read this" in response.content.decode()


def test_a_cookie_with_a_nul_character_gets_the_400_page():
    client = Client(raise_request_exception=False)
    client.cookies.load('sessionid="a\\000b"')
    assert client.get("/accounts/").status_code == 400
