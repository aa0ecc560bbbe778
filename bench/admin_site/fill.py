"""Makes the table, fills it with contacts from stdin (JSON), prints a superuser's cookies.

python -m bench.admin_site.fill < contacts.json > cookies.json
"""

import json
import sys
from datetime import UTC, datetime
from typing import Any

import django


def main() -> None:
    """Tables without migrations: nothing of this outlives the measurement."""
    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    from django.test import Client

    from .models import Contact

    call_command("migrate", run_syncdb=True, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    Contact._default_manager.bulk_create(
        [Contact(**fields_of(row)) for row in json.load(sys.stdin)]
    )
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(get_user_model().objects.create_superuser("admin", "admin@example.test"))
    client.get("/admin/admin_site/contact/")
    cookies = "; ".join(f"{name}={each.value}" for name, each in client.cookies.items())
    json.dump([cookies], sys.stdout)


def fields_of(row: dict[str, Any]) -> dict[str, Any]:
    created = row["cstcreated_on"]
    return {
        **{name: str(row[name] or "") for name in ("cstname", "cstemail", "cstmobile")},
        "contact_type": int(row["contact_type"]),
        "cstcreated_on": datetime.fromisoformat(created).replace(tzinfo=UTC) if created else None,
    }


if __name__ == "__main__":
    django.setup()
    main()
