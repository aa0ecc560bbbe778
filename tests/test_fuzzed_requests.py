"""No address answers numbers and characters that nobody types with an error of ours."""

import re

import pytest
from django.test import Client

from dashboard import resources
from tests.conftest import PASSWORD
from tests.test_access import ADDRESSES, SAMPLES

pytestmark = pytest.mark.slow

NUL = "\0"  # PostgreSQL can neither store nor compare it
BEYOND = str(2**63)  # of any column of a database
NUMBERS = {"beyond": BEYOND, "longer": "9" * 23, "5,000 digits": "9" * 5000}
VALUES = {"nul": f"a{NUL}", "beyond": BEYOND, "superscript": "²", "no character": "\ufffe"}
# Of addresses; those of forms are read from the pages.
QUERY = [
    "again",
    "contact",
    "copy",
    "customer",
    "date",
    "discount",
    "draft",
    "estimate",
    "from",
    "kind",
    "line",
    "look",
    "name",
    "next",
    "order",
    "page",
    "prefix",
    "q",
    "record_id",
    "refused",
    "search",
    "size",
    "sort",
    "tax_id",
    "text",
    "to",
    "who",
    "within",
]
# These end the session or replace the password.
PATHS = {
    name: path
    for name, path in ADDRESSES.items()
    if name not in ("account_logout", "account_change_password")
}


@pytest.fixture
def numbers(gateway) -> dict[str, int]:
    """The number of a record that exists, by the name of its resource."""
    return {each.name: gateway.list(each.endpoint).records[0].id for each in resources.ALL}


@pytest.fixture
def client(administrator, with_keys) -> Client:
    """A signed-in administrator who has just given the password."""
    client = Client(raise_request_exception=False)
    client.force_login(with_keys(administrator))
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def path_to(name: str, number: object) -> str:
    """The address with this number in place of the sample."""
    return re.sub(rf"/{SAMPLES['pk']}/", f"/{number}/", PATHS[name])


def names_in(client: Client, path: str) -> list[str]:
    """The names of the controls of a page."""
    response = client.get(path)
    html = "" if response.streaming else response.content.decode(errors="replace")
    return re.findall(r'\sname="([\w-]+)"', html)


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_no_query_and_no_form_causes_an_error(client, numbers, value):
    failed = []
    for name in PATHS:
        path = path_to(name, numbers.get(name.partition(":")[0], 1))
        posted = dict.fromkeys(names_in(client, path), value)
        answers = [client.get(path, dict.fromkeys(QUERY, value)), client.post(path, posted)]
        failed += [f"{name} {one.request['REQUEST_METHOD']}" for one in answers if broken(one)]
    assert not failed


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
    assert "This request is not valid" in response.content.decode()


def test_a_cookie_with_a_nul_character_gets_the_400_page():
    client = Client(raise_request_exception=False)
    client.cookies.load('sessionid="a\\000b"')
    assert client.get("/accounts/").status_code == 400
