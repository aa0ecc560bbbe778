"""The list of users with keys, which shows no keys."""

from cryptography.fernet import Fernet

from dashboard.accounts.models import User
from dashboard.credentials import services
from dashboard.credentials.models import KeyPair
from tests.conftest import PASSWORD
from tests.workspaces import connect

URL = "/settings/keys/people/"
ACCESS, SECRET = "access0123456789", "hidden9876543210"


def with_pair(user: User, workspace: str) -> None:
    connect(user, access=ACCESS, secret=SECRET, workspace=workspace)


def test_the_list_shows_user_role_and_workspace_without_keys(administrator, viewer, client_of):
    with_pair(viewer, "Acme <Ltd>")
    response = client_of(administrator).get(URL)
    page = response.content.decode()
    assert all(words in page for words in ("vera", "Viewer", "Acme &lt;Ltd&gt;", "connected"))
    pair = viewer.key_pair
    assert not any(part in page for part in (ACCESS, SECRET, "6789", "3210", pair.ciphertext))


def test_the_list_shows_deactivated_accounts_and_unusable_keys(
    administrator, viewer, editor, manager, client_of, settings
):
    for user in (viewer, editor, manager):
        with_pair(user, "Acme")
    User.objects.filter(pk=editor.pk).update(is_active=False)
    services.note_refusal(manager)
    client = client_of(administrator)
    page = client.get(URL).content.decode()
    assert "account deactivated" in page
    assert "refused by the service" in page
    settings.FIELD_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    assert "cannot be opened" in client.get(URL).content.decode()


def test_an_administrator_removes_the_keys_of_another_user(administrator, viewer, client_of):
    with_pair(viewer, "Acme")
    client, url = client_of(administrator), f"{URL}{viewer.pk}/remove/"
    assert url in client.get(URL).content.decode()
    assert "the API keys of vera" in client.get(url).content.decode()
    assert client.post(url, {"password": "wrong"}).status_code == 422
    assert KeyPair.objects.exists()
    gone = client.post(url, {"password": PASSWORD}, follow=True).content.decode()
    assert "The API keys of vera were removed." in gone
    assert not KeyPair.objects.exists()
    assert client.get(url).status_code == 404


def test_an_empty_list_has_a_message(administrator, client_of):
    assert "Nobody has connected keys yet." in client_of(administrator).get(URL).content.decode()
