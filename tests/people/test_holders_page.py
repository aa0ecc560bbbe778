"""The list of users with keys, which shows no keys."""

import pytest

from dashboard.people import keys
from dashboard.people.models import KeyPair, User
from tests.conftest import PASSWORD
from tests.helpers import encryption_key
from tests.workspaces import connect

URL = "/settings/keys/people/"
ACCESS, SECRET = "access0123456789", "hidden9876543210"


def with_pair(user: User, workspace: str) -> None:
    connect(user, access=ACCESS, secret=SECRET, workspace=workspace)


@pytest.fixture
def administrator(administrator) -> User:
    with_pair(administrator, "Acme")
    return administrator


def test_the_list_shows_user_role_and_workspace_without_keys(administrator, viewer, client_of):
    with_pair(administrator, "Acme <Ltd>")
    with_pair(viewer, "Acme <Ltd>")
    response = client_of(administrator).get(URL)
    page = response.content.decode()
    assert all(words in page for words in ("vera", "Viewer", "Acme &lt;Ltd&gt;", ">Connected<"))
    pair = viewer.key_pair
    assert not any(part in page for part in (ACCESS, SECRET, "6789", "3210", pair.keys_sealed))


def test_the_list_shows_deactivated_accounts_and_unusable_keys(
    administrator, viewer, editor, manager, client_of, settings
):
    for user in (viewer, editor, manager):
        with_pair(user, "Acme")
    User.objects.filter(pk=editor.pk).update(is_active=False)
    keys.store_refusal(manager)
    client = client_of(administrator)
    page = client.get(URL).content.decode()
    assert "Account deactivated" in page
    assert "Rejected by the CRM" in page
    settings.FIELD_ENCRYPTION_KEYS = [encryption_key()]
    assert "be read. Enter the keys again" in client.get(URL).content.decode()


def test_an_administrator_removes_the_keys_of_another_user(administrator, viewer, client_of):
    with_pair(viewer, "Acme")
    client, url = client_of(administrator), f"{URL}{viewer.pk}/remove/"
    assert url in client.get(URL).content.decode()
    assert client.post(url)["Location"] == url
    assert KeyPair.objects.filter(user=viewer).exists()
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert "the API keys of vera" in client.get(url).content.decode()
    gone = client.post(url, follow=True).content.decode()
    assert "The API keys of vera were removed." in gone
    assert not KeyPair.objects.filter(user=viewer).exists()
    assert client.get(url).status_code == 404


def test_keys_of_another_workspace_are_neither_listed_nor_removed(administrator, viewer, client_of):
    with_pair(viewer, "Globex")
    client, url = client_of(administrator), f"{URL}{viewer.pk}/remove/"
    page = client.get(URL).content.decode()
    assert "Globex" not in page
    assert "vera" not in page
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert client.get(url).status_code == 404
    assert client.post(url).status_code == 404
    assert KeyPair.objects.filter(user=viewer).exists()


def test_a_superuser_sees_and_removes_keys_of_every_workspace(administrator, viewer, client_of):
    User.objects.filter(pk=administrator.pk).update(is_superuser=True)
    with_pair(viewer, "Globex")
    client = client_of(administrator)
    page = client.get(URL).content.decode()
    assert "As a superuser" in page
    assert "Globex" in page
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    client.post(f"{URL}{viewer.pk}/remove/")
    assert not KeyPair.objects.filter(user=viewer).exists()
