"""What the tests of the staff pages share."""

from allauth.mfa.models import Authenticator
from django.test import Client

from dashboard.people.models import User
from dashboard.writes import history
from dashboard.writes.models import Event
from tests.conftest import PASSWORD
from tests.workspaces import connect

LIST = "/staff/"


def desk_of(user: User) -> Client:
    """A client of the user, who has just given the password, as changes of accounts ask for. It
    does not inspect pages (tests.page), which takes half the time.
    """
    client = Client()
    client.force_login(user)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def with_pair(user: User, workspace: str) -> User:
    connect(user, access="access0123", secret="hidden0123", workspace=workspace)
    return user


def with_factor(user: User) -> User:
    Authenticator.objects.create(user=user, type="totp", data={"secret": "x"})
    return user


def change(desk: Client, user: User, **values: str):
    user.refresh_from_db()
    old = {"username": user.username, "email": user.email, "role": user.role}
    response = desk.post(f"{LIST}{user.pk}/", {**old, **values})
    user.refresh_from_db()
    return response


def press(desk: Client, user: User, action: str):
    response = desk.post(f"{LIST}{user.pk}/act/", {"action": action}, follow=True)
    user.refresh_from_db()
    return response


def deactivate(desk: Client, user: User):
    """Deactivate the account, without a colleague who takes over."""
    response = desk.post(f"{LIST}{user.pk}/deactivate/", follow=True)
    user.refresh_from_db()
    return response


def noted() -> list[tuple[str, dict[str, tuple[str, str]]]]:
    entries = Event.objects.filter(resource=history.STAFF).order_by("pk")
    return [(each.who, history.details(each).changes) for each in entries]
