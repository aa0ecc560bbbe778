"""Migrates a database in which people typed labels for workspaces; prints what became of it."""

import json
from typing import Any

LABELS = {"ann": "Acme", "ben": " ACME ", "cora": "Globex"}
BEFORE = [
    ("credentials", "0003_closed_areas"),
    ("accounts", "0006_export_permission"),
    ("audit", "0002_about"),
    ("catalogue", "0003_told_names"),
    ("drafts", "0004_why_a_deletion_waits"),
    ("imports", "0002_seal_file_name"),
    ("jobs", "0001_initial"),
    ("outbox", "0004_remove_absent"),
    ("preferences", "0005_saved_views"),
]


def fill(apps: Any) -> None:
    """Key pairs of three people, and rows under every spelling of their labels."""
    people = {name: apps.get_model("accounts", "User").objects.create(
        username=name, email=f"{name}@example.test") for name in LABELS}  # fmt: skip
    for name, label in LABELS.items():
        pair = {"user": people[name], "ciphertext": "sealed", "workspace": label}
        apps.get_model("credentials", "KeyPair").objects.create(**pair)
        entry = {"who": name, "owner": name, "workspace": label, "resource": "deals",
                 "operation": "create", "outcome": "saved", "seconds": 1, "sealed": ""}  # fmt: skip
        apps.get_model("audit", "Entry").objects.create(**entry)
        view = {"user": people[name], "workspace": label, "resource": "deals", "sealed": name}
        apps.get_model("preferences", "SavedView").objects.create(**view)
        apps.get_model("preferences", "Office").objects.create(workspace=label, method=name)
        used = {"user": people[name], "workspace": label, "field": "user.own_id", "value": name}
        apps.get_model("preferences", "LastUsed").objects.create(**used)
        terms = {"customer": 7, "days": len(name)}
        apps.get_model("preferences", "Terms").objects.create(workspace=label, **terms)
    apps.get_model("credentials", "Switch").objects.create(operation="leads.get", is_on=True)
    change_accounts(apps, people)
    for label in ("acme", "globex", "left"):  # the lists had the label in lower case
        entry = {"workspace": label, "kind": "tax", "code": "1", "name": f"Tax of {label}"}
        apps.get_model("catalogue", "ListEntry").objects.create(**entry)
        apps.get_model("catalogue", "ListVersion").objects.create(workspace=label, token="t")
    apps.get_model("drafts", "Draft").objects.create(person=people["ann"], path="/", sealed="")


def change_accounts(apps: Any, people: dict[str, Any]) -> None:
    """History of accounts: by ann of cora, and by the operator of cora and of somebody unknown."""
    cora = people["cora"].pk
    for who, acting, account in (("by ann", people["ann"], cora), ("of cora", None, cora),
                                 ("of nobody", None, 0)):  # fmt: skip
        apps.get_model("audit", "Entry").objects.create(
            who=who, person=acting, record_id=account, resource="staff", workspace="", owner="",
            operation="update", outcome="saved", seconds=0, sealed="",
        )  # fmt: skip


def found() -> dict[str, Any]:
    """What the migrated tables say, by the names of workspaces."""
    from dashboard.catalogue.models import ListEntry, ListVersion
    from dashboard.credentials.models import KeyPair, Membership, Workspace
    from dashboard.drafts.models import Draft
    from dashboard.ledger.models import Event, Write
    from dashboard.preferences.models import Choices, SavedView, Terms

    names = dict(Workspace.objects.values_list("pk", "name"))

    def named(rows: Any, field: str) -> list[tuple[str, str]]:
        return sorted((names[pk], str(words)) for pk, words in rows.values_list("workspace", field))

    def settings_of(field: str) -> list[tuple[str, Any]]:
        return sorted(Workspace.objects.values_list("name", field))

    return {
        "long": all(len(pk) == 32 for pk in names),
        "names": sorted(names.values()),
        "pairs": named(KeyPair.objects, "user__username"),
        "members": named(Membership.objects.filter(state="member"), "user__username"),
        "checked": KeyPair.objects.exclude(checked_at=None).count(),
        "history": named(Write.objects.filter(token__startswith="history-"), "who"),
        "accounts": named(Event.rows.exclude(workspace=""), "who"),
        "switches": settings_of("switches"),
        "views": named(SavedView.objects, "content"),
        "lists": named(ListEntry.objects, "name"),
        "versions": sorted(names[pk] for pk in ListVersion.objects.values_list("pk", flat=True)),
        "offices": settings_of("method"),
        "terms": [name for name, _ in named(Terms.objects, "days")],
        "choices": [
            (names[workspace], fields)
            for row in Choices.objects.order_by("pk")
            for workspace, fields in row.by_workspace.items()
        ],
        "drafts": list(Draft.objects.values_list("workspace", flat=True)),
    }


def main() -> None:
    """Migrate to the state with labels, fill it, and migrate to the present state."""
    import django
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    django.setup()
    executor = MigrationExecutor(connection)
    fill(executor.migrate(BEFORE).apps)
    call_command("migrate", verbosity=0)
    print(json.dumps(found()))


if __name__ == "__main__":
    main()
