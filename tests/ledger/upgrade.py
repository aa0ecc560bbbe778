"""Migrates a database that release 0.1 has filled (release_0_1.json), prints its pages, and deletes
its accounts, which the former tables still name.

python -m tests.ledger.upgrade ADDRESS...
"""

import json
import sys
from pathlib import Path
from typing import Any

FILLED = Path(__file__).with_name("release_0_1.json")
PERSON = "max"
BEFORE = [
    ("account", "0009_emailaddress_unique_primary_email"),
    ("accounts", "0008_former_addresses_and_requests"),
    ("audit", "0007_content_of_sealed"),
    ("catalogue", "0004_pipeline_of_unnamed_stages"),
    ("credentials", "0011_keys_of_pair"),
    ("drafts", "0006_content_of_sealed"),
    ("exports", "0004_rows"),
    ("imports", "0003_read_once"),
    ("jobs", "0002_not_sent_and_found_rows"),
    ("operations", "0002_pauses_of_workers"),
    ("outbox", "0006_workspace_of_earlier_writes"),
    ("preferences", "0007_content_of_sealed"),
    ("scans", "0002_default_name_of_job"),
]


def fill(apps: Any) -> None:
    """Store the rows of the release, each under its number."""
    for name, rows in json.loads(FILLED.read_text(encoding="utf-8")).items():
        model = apps.get_model(name)
        model._base_manager.bulk_create(model(**row) for row in rows)


def pages(addresses: list[str]) -> dict[str, str]:
    """The texts of pages, as the person of the release sees them."""
    from django.test import Client

    from dashboard.accounts import roles
    from dashboard.accounts.models import User
    from tests.helpers import text

    client, user = Client(), User.objects.get(username=PERSON)
    roles.set_role(user, roles.ADMINISTRATOR)
    client.force_login(user)
    return {address: text(client.get(address, follow=True)) for address in addresses}


def main() -> None:
    """Migrate to the release, fill it, and migrate to the present state."""
    import django
    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor
    from django.test.utils import setup_test_environment

    django.setup()
    fill(MigrationExecutor(connection).migrate(BEFORE).apps)
    call_command("migrate", verbosity=0)
    setup_test_environment()
    texts = pages(sys.argv[1:])
    get_user_model().objects.all().delete()
    print(json.dumps(texts))


if __name__ == "__main__":
    main()
