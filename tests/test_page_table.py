"""The table of pages in docs/developing.md names every address that answers with a page."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import resolve

from dashboard.people.models import User
from dashboard.schema.registry import RESOURCES
from tests.every_page import every_path

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
DOCUMENT = Path(__file__).parents[1] / "docs/developing.md"


def row(client: Client, path: str) -> str:
    """The row of an address; "" where it answers with no page of our own views."""
    answer = client.get(path)
    names = [each.name for each in getattr(answer, "templates", []) if each.name]
    match = resolve(path.split("?")[0])
    view = match.func
    while hasattr(view, "__wrapped__"):
        view = view.__wrapped__
    is_ours = view.__module__.startswith("dashboard.")
    if answer.status_code != 200 or not is_ours or not names or "/_" in f"/{names[0]}":
        return ""  # a part of a page begins with "_"
    name, _, rest = match.route.partition("/")
    route = f"RESOURCE/{rest}" if name in RESOURCES else match.route
    module = view.__module__.removeprefix("dashboard.")
    return f"| `/{route}` | `{module}.{view.__name__}` | `{names[0]}` |"


def test_the_table_of_pages_is_true(client_of, with_keys, administrator):
    User.objects.filter(pk=administrator.pk).update(is_superuser=True)
    administrator.refresh_from_db()
    user = with_keys(administrator)
    client = client_of(user)
    rows = {row(client, path) for path in every_path(user).values()} - {""}
    written = {line for line in DOCUMENT.read_text().splitlines() if line.startswith("| `/")}
    assert written == rows
