"""Takes an upgrade back: fills a database of an earlier release, copies it, migrates to this
release, restores the copy over that, and prints what is there.

python -m tests.operations.earlier_release RELEASE COPY
"""

import json
import sys
from contextlib import suppress
from typing import Any

# The last migrations of ours in each release.
RELEASES = {
    "before workspaces": [
        ("accounts", "0003_how_people_write"),
        ("audit", "0001_initial"),
        ("catalogue", "0001_initial"),
        ("credentials", "0002_switches"),
        ("drafts", "0002_deletions"),
        ("outbox", "0002_turns"),
        ("preferences", "0001_initial"),
    ],
    "0.1": [
        ("accounts", "0007_drop_computed_recovery_codes"),
        ("audit", "0005_index_of_record"),
        ("catalogue", "0003_told_names"),
        ("credentials", "0007_pauses_of_workers"),
        ("drafts", "0004_why_a_deletion_waits"),
        ("exports", "0003_sheet"),
        ("imports", "0002_seal_file_name"),
        ("jobs", "0001_initial"),
        ("operations", "0002_pauses_of_workers"),
        ("outbox", "0005_job"),
        ("preferences", "0005_saved_views"),
        ("scans", "0001_initial"),
    ],
}
OF_PACKAGES = ("account", "django_tasks_database", "mfa", "sessions", "usersessions")


def fill(release: str) -> None:
    """Migrate to the release; a person with keys, and a write that was under way."""
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    packages = [leaf for leaf in executor.loader.graph.leaf_nodes() if leaf[0] in OF_PACKAGES]
    apps: Any = executor.migrate([*packages, *RELEASES[release]]).apps
    vera = apps.get_model("accounts", "User").objects.create(username="vera", email="v@e.test")
    workspace: Any = "Acme"
    if release != "before workspaces":
        workspace = apps.get_model("credentials", "Workspace").objects.create(name="Acme")
    pair = {"user": vera, "ciphertext": "sealed", "workspace": workspace}
    apps.get_model("credentials", "KeyPair").objects.create(**pair)
    write = {"person": vera, "token": "under way", "owner": "vera", "resource": "tasks",
             "operation": "create", "state": "sending", "body": "sealed"}  # fmt: skip
    apps.get_model("outbox", "Submission").objects.create(**write)


def found() -> dict[str, Any]:
    """The person, the name of the workspace of her keys, and the state of her write there."""
    from dashboard.credentials.models import KeyPair
    from dashboard.ledger.models import Write

    pair = KeyPair.objects.select_related("user", "workspace").get()
    writes = Write.objects.filter(person=pair.user)
    states = writes.filter(workspace__in=("", pair.workspace_id)).values_list("token", "state")
    return {pair.user.username: pair.workspace.name, **dict(states)}


def main() -> None:
    """Carry it out with the database of the settings."""
    import django
    from django.core.management import CommandError, call_command

    django.setup()
    release, copy = sys.argv[1:]
    fill(release)
    call_command("backup", copy)
    call_command("migrate", verbosity=0)
    try:
        call_command("migrate", "credentials", "0004", verbosity=0)
    except CommandError as refused:
        print(refused)
    with suppress(CommandError):  # at the end, as the keys of `fill` cannot be opened
        call_command("restore", copy, replace=True)
    print(json.dumps(found()))


if __name__ == "__main__":
    main()
