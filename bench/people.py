"""Creates staff users with keys and prints their cookies; runs with the dashboard's settings.

    python -m bench.people 64 < keys.json > cookies.json

keys.json: a list of [access, secret]; people take turns with them.
"""

import json
import sys
from itertools import cycle, islice
from typing import Any

import django

OPENED, DRAFTS, VIEWS = 8, 2, 2


def main(count: int) -> None:
    from allauth.mfa.models import Authenticator
    from django.core.management import call_command
    from django.test import Client

    from dashboard.people import permissions
    from dashboard.people.models import User
    from tests.databases import make_tables
    from tests.workspaces import connect

    make_tables()
    call_command("collectstatic", interactive=False, verbosity=0)
    cookies = []
    for number, (access, secret) in enumerate(islice(cycle(json.load(sys.stdin)), count), 1):
        name = f"person{number}"
        user = User.objects.create_user(name, f"{name}@example.test", first_name="Alex")
        permissions.set_role(user, permissions.MANAGER)
        connect(user, access=access, secret=secret, workspace="Acme")
        Authenticator.objects.create(user=user, type="totp", data={})  # all roles need one
        work_a_morning(user)
        client = Client(SERVER_NAME="127.0.0.1")
        client.force_login(user)
        client.get("/settings/keys/")  # for the CSRF cookie
        cookies.append("; ".join(f"{key}={each.value}" for key, each in client.cookies.items()))
    json.dump(cookies, sys.stdout)


def work_a_morning(user: Any) -> None:
    """What everybody has after a morning: records at hand, two drafts, two saved views."""
    from django.http import QueryDict

    from dashboard.lists.saved_lists import store
    from dashboard.office import recents
    from dashboard.office.models import SavedView
    from dashboard.people.keys import gateway_for, owner_of
    from dashboard.writes.drafts import Mark, store_draft
    from dashboard.writes.ledger import new_token

    owner, pair = owner_of(gateway_for(user)), user.pair
    workspace = pair.workspace_id if pair else ""
    for number in range(1001, 1001 + OPENED):
        recents.note_opened(user, owner, "contacts", number, title=f"Contact {number} Ltd")
        recents.star(user, owner, "contacts", number, on=number % 2 == 0)
    for number in range(DRAFTS):
        mark = Mark(new_token(), user.pk, workspace, "/contacts/new/", "New contact")
        store_draft(mark, QueryDict(f"cstname=Draft+{number}"))
    for number in range(VIEWS):
        view = SavedView(user=user, workspace=workspace, resource="contacts")
        store(view, name=f"View {number}", params="search=acorn", shared=False)


if __name__ == "__main__":
    django.setup()
    main(int(sys.argv[1]))
