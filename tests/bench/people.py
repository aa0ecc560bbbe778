"""Creates staff users with keys and prints their cookies; runs with the dashboard's settings.

    python -m tests.bench.people 64 < keys.json > cookies.json

keys.json: a list of [access, secret]; people take turns with them.
"""

import json
import sys
from itertools import cycle, islice

import django


def main(count: int) -> None:
    """Create `count` managers with keys and sign them in."""
    from django.core.management import call_command
    from django.test import Client

    from dashboard.accounts import roles
    from dashboard.accounts.models import User
    from tests.workspaces import connect

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    cookies = []
    for number, (access, secret) in enumerate(islice(cycle(json.load(sys.stdin)), count), 1):
        name = f"person{number}"
        user = User.objects.create_user(name, f"{name}@example.test", first_name="Alex")
        roles.set_role(user, roles.MANAGER)
        connect(user, access=access, secret=secret, workspace="Acme")
        client = Client(SERVER_NAME="127.0.0.1")
        client.force_login(user)
        client.get("/settings/keys/")  # for the CSRF cookie
        cookies.append("; ".join(f"{key}={each.value}" for key, each in client.cookies.items()))
    json.dump(cookies, sys.stdout)


if __name__ == "__main__":
    django.setup()
    main(int(sys.argv[1]))
