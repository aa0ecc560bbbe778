"""The page of a workspace's members: adding, letting in again, removing."""

import pytest
from django.core import mail

from dashboard.credentials import members
from dashboard.credentials.models import KeyPair, Membership
from dashboard.ledger import history
from tests.conftest import PASSWORD
from tests.helpers import mails, text
from tests.page import InspectingClient as Client
from tests.workspaces import connect, of_name

URL = "/settings/workspace/"
State = Membership.State


def with_pair(user, name: str) -> None:
    connect(user, access="access0123", secret="hidden0123", workspace=name)


@pytest.fixture
def desk(administrator, client_of) -> Client:
    """The client of an administrator in the workspace Acme, who has just given the password."""
    with_pair(administrator, "Acme")
    client = client_of(administrator)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def state(user) -> str:
    return Membership.objects.get(user=user, workspace="Acme").state


def workspace_of(user) -> str:
    return KeyPair.objects.get(user=user).workspace.name


def changes(user) -> list[dict[str, tuple[str, str]]]:
    return [history.details(entry).changes for entry in history.of_office(history.STAFF, user.pk)]


def test_it_shows_the_members_of_the_own_workspace_alone(desk, viewer, editor, manager):
    with_pair(viewer, "Acme")
    with_pair(editor, "Globex")
    members.put_out(viewer, of_name("Acme"), State.UNMATCHED)
    members.let_in(manager, of_name("Acme"), by=editor)
    page = text(desk.get(URL))
    assert "Members of Acme" in page
    assert "vera Out: the API keys did not match" in page
    assert "max Invited" in page
    assert "edith vouches" in page
    assert "Globex" not in page
    assert (
        'value="remove:' not in desk.get(URL).content.decode().split("ada</a>")[1].split("</tr>")[0]
    )


def test_without_keys_it_asks_to_connect_them(administrator, client_of):
    assert "Connect the CRM first" in text(client_of(administrator).get(URL))


@pytest.mark.parametrize("named", ["vera", " VERA@example.test "])
def test_somebody_is_added_by_username_or_email_and_the_history_says_so(desk, viewer, named):
    page = desk.post(f"{URL}add/", {"person": named}, follow=True)
    assert "vera may join by a button on the page Connection" in text(page)
    assert state(viewer) == State.INVITED
    (told,) = mails()
    assert told.to == ["vera@example.test"]
    assert "The administrator ada has invited you to the workspace Acme" in told.body
    assert changes(viewer) == [{"Workspace Acme": ("", "invited")}]


@pytest.mark.parametrize("named", ["", "nobody", "ada", "off"])
def test_nobody_is_added_by_a_name_that_is_no_other_active_account(desk, viewer, named):
    viewer.username, viewer.is_active = "off", False
    viewer.save()
    page = desk.post(f"{URL}add/", {"person": named})
    assert page.status_code == 422
    assert not Membership.objects.filter(state=State.INVITED).exists()


def test_a_member_is_not_added_twice(desk, viewer):
    with_pair(viewer, "Acme")
    assert "is a member already" in text(desk.post(f"{URL}add/", {"person": "vera"}, follow=True))
    assert state(viewer) == State.MEMBER


def test_a_removed_member_loses_the_workspace_and_is_let_in_again(desk, viewer):
    with_pair(viewer, "Acme")
    desk.post(f"{URL}change/", {"change": f"remove:{viewer.pk}"})
    assert (state(viewer), workspace_of(viewer)) == (State.REMOVED, "Keys of vera")
    desk.post(f"{URL}change/", {"change": f"let_in:{viewer.pk}"})
    assert (state(viewer), workspace_of(viewer)) == (State.MEMBER, "Acme")
    assert changes(viewer) == [
        {"Workspace Acme": ("removed", "member")},
        {"Workspace Acme": ("member", "removed")},
    ]


def replaced(user) -> None:
    pair = KeyPair.objects.get(user=user)
    connect(user, access="other0123", secret="other9876", workspace=pair.workspace_id)


@pytest.mark.parametrize(
    "since",
    [
        lambda user: with_pair(user, "Globex"),
        lambda user: members.join(user, of_name("Globex")),
        replaced,
    ],
    ids=["other keys", "gone elsewhere", "replaced in place"],
)
def test_letting_in_moves_no_keys_that_are_not_those_put_out(desk, viewer, since):
    with_pair(viewer, "Acme")
    desk.post(f"{URL}change/", {"change": f"remove:{viewer.pk}"})
    since(viewer)
    before = KeyPair.objects.get(user=viewer).workspace_id
    mails()
    mail.outbox.clear()
    page = desk.post(f"{URL}change/", {"change": f"let_in:{viewer.pk}"}, follow=True)
    assert KeyPair.objects.get(user=viewer).workspace_id == before
    assert Membership.objects.filter(user=viewer, workspace=before, state=State.MEMBER).exists()
    assert state(viewer) == State.INVITED
    assert "Nothing changes until then." in text(page)
    assert "Nothing changes until you agree" in mails()[0].body


@pytest.mark.parametrize(
    "change", ["remove:{own}", "remove:{other}", "let_in:1x", "grow:{other}", ""]
)
def test_nothing_else_is_changed(desk, administrator, editor, change):
    with_pair(editor, "Globex")
    words = change.format(own=administrator.pk, other=editor.pk)
    assert desk.post(f"{URL}change/", {"change": words}).status_code == 404
    assert (workspace_of(administrator), workspace_of(editor)) == ("Acme", "Globex")


def test_a_change_waits_until_the_password_was_given(administrator, viewer, client_of):
    with_pair(administrator, "Acme")
    with_pair(viewer, "Acme")
    desk = client_of(administrator)
    for url, posted in (
        ("add/", {"person": "vera"}),
        ("change/", {"change": f"remove:{viewer.pk}"}),
    ):
        assert "/accounts/reauthenticate/" in desk.post(URL + url, posted)["Location"]
    assert state(viewer) == State.MEMBER


def test_a_second_press_on_the_page_of_the_password_repeats_nothing(
    administrator, viewer, client_of
):
    with_pair(administrator, "Acme")
    with_pair(viewer, "Acme")
    desk = client_of(administrator)
    removal = {"change": f"remove:{viewer.pk}"}
    asked = desk.post(f"{URL}change/", removal)["Location"]
    pages = [desk.post(asked, {"password": PASSWORD}, follow=True) for _ in range(2)]
    for page in pages:
        assert (page.status_code, page.redirect_chain[-1][0]) == (200, URL)
    assert "vera is out of Acme." in text(pages[0])
    again = desk.post(f"{URL}change/", removal, follow=True)
    assert "vera is out of Acme already." in text(again)
    assert changes(viewer) == [{"Workspace Acme": ("member", "removed")}]


def test_letting_in_twice_says_so(desk, viewer):
    with_pair(viewer, "Acme")
    members.put_out(viewer, of_name("Acme"), State.REMOVED)
    for words in ("vera", "vera is a member or invited already."):
        page = desk.post(f"{URL}change/", {"change": f"let_in:{viewer.pk}"}, follow=True)
        assert words in text(page)
