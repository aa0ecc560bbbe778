"""The upgrade of a database that release 0.1 has filled (release_0_1.json), step by step:

python -m tests.ledger.upgrade fill               the tables of the release, and its rows in them
python -m tests.ledger.upgrade pages ADDRESS...   prints pages of the present state
python -m tests.ledger.upgrade leave              deletes the accounts, which former tables name
"""

import json
import sys
from functools import partial
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
    ("django_tasks_database", "0021_conditional_partial_index_ordering"),
    ("drafts", "0006_content_of_sealed"),
    ("exports", "0004_rows"),
    ("imports", "0003_read_once"),
    ("jobs", "0002_not_sent_and_found_rows"),
    ("operations", "0002_pauses_of_workers"),
    ("outbox", "0006_workspace_of_earlier_writes"),
    ("preferences", "0007_content_of_sealed"),
    ("scans", "0002_default_name_of_job"),
]


def fill() -> None:
    """Store the rows of the release, each under its number."""
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    apps = MigrationExecutor(connection).migrate(BEFORE).apps
    for name, rows in json.loads(FILLED.read_text(encoding="utf-8")).items():
        model: Any = apps.get_model(name)
        model._base_manager.bulk_create(model(**row) for row in rows)


def pages(addresses: list[str]) -> None:
    """Print the texts of pages, as the person of the release sees them."""
    from django.test import Client
    from django.test.utils import setup_test_environment

    from dashboard.accounts.models import User
    from tests.helpers import text

    setup_test_environment()
    client = Client()
    client.force_login(User.objects.get(username=PERSON))
    texts = {address: text(client.get(address, follow=True)) for address in addresses}
    print(json.dumps(texts))


def leave() -> None:
    """Delete every account."""
    from dashboard.accounts.models import User

    User.objects.all().delete()


def main() -> None:
    """Carry out the step that is asked for, in the database of the settings."""
    import django

    django.setup()
    step, *addresses = sys.argv[1:]
    steps = {"fill": fill, "pages": partial(pages, addresses), "leave": leave}
    steps[step]()


if __name__ == "__main__":
    main()
