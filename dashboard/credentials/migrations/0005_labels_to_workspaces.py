from typing import Any

from django.db import IntegrityError, migrations, transaction

TABLES = (
    ("audit", "Entry"),
    ("catalogue", "ListEntry"),
    ("catalogue", "ListVersion"),
    ("catalogue", "UnnamedReference"),
    ("drafts", "Deletion"),
    ("drafts", "Draft"),
    ("imports", "Import"),
    ("jobs", "Job"),
    ("outbox", "Submission"),
    ("preferences", "Conversion"),
    ("preferences", "LastUsed"),
    ("preferences", "Office"),
    ("preferences", "SavedView"),
    ("preferences", "Terms"),
)


def normal(label: str) -> str:
    """Labels that differ in case and spaces meant one workspace."""
    return " ".join(label.split()).casefold()[:100]


def make_workspaces(apps: Any, schema_editor: Any) -> None:
    """Every label becomes a workspace, whose id replaces it in every table."""
    begun: dict[str, Any] = {}
    for pair in apps.get_model("credentials", "KeyPair").objects.order_by("pk"):
        pair.home = workspace_of(apps, begun, pair.workspace)
        pair.save()
        apps.get_model("credentials", "Membership").objects.create(
            user_id=pair.user_id, workspace=pair.home, state="member"
        )
    for app, name in TABLES:
        rows = apps.get_model(app, name).objects
        labels = rows.order_by().values_list("workspace", flat=True).distinct()
        found = [(workspace_of(apps, begun, label), label) for label in labels if normal(label)]
        # Where two spellings have a row for the same thing, that of the first member stays.
        for workspace, label in sorted(found, key=lambda one: one[0].name != one[1]):
            relabel(rows.filter(workspace=label), workspace.pk)


def workspace_of(apps: Any, begun: dict[str, Any], label: str) -> Any:
    """The workspace of a label; one that nobody has keys of any more gets no member."""
    key = normal(label)
    if key not in begun:
        rows = apps.get_model("credentials", "Workspace").objects
        begun[key] = rows.create(name=" ".join(label.split())[:100])
    return begun[key]


def relabel(rows: Any, pk: str) -> None:
    """Give rows the id of their workspace. Of two spellings of a label, one may have a row for the
    same thing already: the other one's is dropped.
    """
    try:
        with transaction.atomic():
            rows.update(workspace=pk)
    except IntegrityError:
        for number in list(rows.values_list("pk", flat=True)):
            row = rows.filter(pk=number)
            try:
                with transaction.atomic():
                    row.update(workspace=pk)
            except IntegrityError:
                row.delete()


class Migration(migrations.Migration):
    """The labels that people typed beside their keys become workspaces with members.

    Whoever connected first comes first among the members: the first comparison of the keys, at the
    next request of each member, measures the others by those (placing.py).
    """

    dependencies = [
        ("credentials", "0004_workspaces"),
        ("audit", "0002_about"),
        ("catalogue", "0003_told_names"),
        ("drafts", "0004_why_a_deletion_waits"),
        ("imports", "0002_seal_file_name"),
        ("jobs", "0001_initial"),
        ("outbox", "0004_remove_absent"),
        ("preferences", "0005_saved_views"),
    ]

    operations = [migrations.RunPython(make_workspaces)]
