"""Signing in on the page, as allauth lists the sessions of those who do."""

from typing import Any

from django.http import HttpResponse

from dashboard.people.models import User
from tests.conftest import PASSWORD
from tests.page import InspectingClient as Client

LOGIN = "/accounts/login/"


def sign_in(client: Client, name: str, password: str = PASSWORD, **extra: Any) -> HttpResponse:
    return client.post(LOGIN, {"login": name, "password": password}, **extra)


def browser_of(user: User) -> Client:
    """A browser in which somebody gave name and password; `response` is the answer."""
    browser = Client()
    browser.response = sign_in(browser, user.username)
    browser.get("/accounts/")  # shows the message of the sign-in, which leaves the session
    return browser


def is_signed_in(client: Client) -> bool:
    return client.get("/accounts/").status_code == 200
