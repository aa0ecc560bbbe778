from typing import Any

import django.db.models.deletion
from django.core.management import CommandError
from django.db import migrations, models


def refuse(apps: Any, schema_editor: Any) -> None:
    """What earlier migrations of these tables replaced is gone: labels, bare days."""
    raise CommandError(
        "This release's changes cannot be undone. To go back, install the earlier release and "
        "restore the backup that was made before the upgrade (docs/upgrade.md)."
    )


class Migration(migrations.Migration):
    """Every switch is of a workspace, with at most one for each operation."""

    dependencies = [("credentials", "0009_copy_switches")]

    operations = [
        migrations.AlterField(
            model_name="switch",
            name="workspace",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="switches",
                to="credentials.workspace",
            ),
        ),
        migrations.AddConstraint(
            model_name="switch",
            constraint=models.UniqueConstraint(
                fields=("workspace", "operation"), name="one_switch_for_each_operation"
            ),
        ),
        migrations.RunPython(migrations.RunPython.noop, refuse),  # last, so that it is undone first
    ]
