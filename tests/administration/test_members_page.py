"""The page of a workspace's members: inviting and removing."""

import pytest

from dashboard.people import members
from dashboard.people.models import KeyPair, Membership, User
from dashboard.writes import history
from dashboard.writes.models import Event
from tests.administration.pages import desk_of, with_pair
from tests.helpers import mails, text
from tests.page import InspectingClient as Client
from tests.workspaces import of_name

URL = "/settings/workspace/"


@pytest.fixture
def desk(administrator) -> Client:
    return desk_of(with_pair(administrator, "Acme"))


def is_invited(user) -> bool:
    return Membership.objects.filter(user=user, workspace="Acme", joined_at=None).exists()


def workspace_of(user) -> str:
    return KeyPair.objects.get(user=user).workspace.name


def changes(user) -> list[dict[str, tuple[str, str]]]:
    entries = Event.objects.filter(resource=history.STAFF, record_id=user.pk).order_by("-pk")
    return [history.details(entry).changes for entry in entries]


def test_it_shows_the_members_of_the_own_workspace_alone(desk, viewer, editor, manager):
    with_pair(viewer, "Acme")
    with_pair(editor, "Globex")
    members.invite(manager, of_name("Acme"), by=viewer)
    page = text(desk.get(URL))
    assert "Members of Acme" in page
    assert "vera Member" in page
    assert "max Invited" in page
    assert "edith" not in page
    own = desk.get(URL).content.decode().split("ada</a>")[1].split("</tr>")[0]
    assert "<button" not in own


def test_without_keys_it_asks_to_connect_them(administrator, client_of):
    assert "Connect the CRM first" in text(client_of(administrator).get(URL))


@pytest.mark.parametrize("named", ["vera", " VERA@example.test "])
def test_somebody_is_added_by_username_or_email_and_the_history_says_so(desk, viewer, named):
    page = desk.post(f"{URL}add/", {"person": named}, follow=True)
    assert "vera was invited by email" in text(page)
    assert is_invited(viewer)
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
    assert not Membership.objects.filter(joined_at=None).exists()


def test_a_member_is_not_added_twice(desk, viewer):
    with_pair(viewer, "Acme")
    assert "is already a member or invited" in text(
        desk.post(f"{URL}add/", {"person": "vera"}, follow=True)
    )
    assert not is_invited(viewer)


def test_a_removed_member_goes_on_in_a_workspace_of_their_own(desk, viewer):
    with_pair(viewer, "Acme")
    page = desk.post(f"{URL}remove/", {"person": viewer.pk}, follow=True)
    assert "vera was removed from Acme." in text(page)
    assert workspace_of(viewer) == "Keys of vera"
    assert changes(viewer) == [{"Workspace Acme": ("member", "removed")}]
    assert "has removed you from the workspace Acme" in mails()[0].body
    again = desk.post(f"{URL}remove/", {"person": viewer.pk}, follow=True)
    assert "This person is not a member." in text(again)


def test_an_invitation_is_withdrawn(desk, viewer):
    members.invite(viewer, of_name("Acme"), by=None)
    desk.post(f"{URL}remove/", {"person": viewer.pk})
    assert not Membership.objects.filter(user=viewer).exists()


@pytest.mark.parametrize("person", ["{own}", "{other}", "1x", ""])
def test_nobody_else_is_removed(desk, administrator, editor, person):
    with_pair(editor, "Globex")
    posted = {"person": person.format(own=administrator.pk, other=editor.pk)}
    assert desk.post(f"{URL}remove/", posted).status_code == 302
    assert (workspace_of(administrator), workspace_of(editor)) == ("Acme", "Globex")


def test_a_change_waits_until_the_password_was_given(administrator, viewer, client_of):
    with_pair(administrator, "Acme")
    with_pair(viewer, "Acme")
    desk = client_of(administrator)
    for url, posted in (
        ("add/", {"person": "vera"}),
        ("remove/", {"person": viewer.pk}),
    ):
        assert "/accounts/reauthenticate/" in desk.post(URL + url, posted)["Location"]
    assert workspace_of(viewer) == "Acme"


def test_an_account_that_an_administrator_makes_is_invited_to_the_workspace(desk):
    desk.post("/staff/invite/", {"addresses": "nina@example.test", "role": "Viewer"})
    assert is_invited(User.objects.get(username="nina"))
