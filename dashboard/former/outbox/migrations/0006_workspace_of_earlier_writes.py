from typing import Any

from django.db import migrations
from django.db.models import OuterRef, Subquery


def name_workspaces(apps: Any, schema_editor: Any) -> None:
    """Writes of a release before workspaces belong to that of their person's keys."""
    pairs = apps.get_model("credentials", "KeyPair").objects.filter(user=OuterRef("person"))
    writes = apps.get_model("outbox", "Submission").objects.filter(
        workspace="", person__in=apps.get_model("credentials", "KeyPair").objects.values("user")
    )
    writes.update(workspace=Subquery(pairs.values("workspace")[:1]))


class Migration(migrations.Migration):
    """Otherwise their entries of the history would be in nobody's history."""

    dependencies = [
        ("outbox", "0005_job"),
        ("credentials", "0006_pair_of_workspace"),
    ]

    operations = [migrations.RunPython(name_workspaces, migrations.RunPython.noop)]
