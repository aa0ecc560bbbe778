from typing import Any

import django.db.models.deletion
from django.core.management import CommandError
from django.db import migrations, models


def refuse(apps: Any, schema_editor: Any) -> None:
    """The labels that the workspaces were made from are gone."""
    raise CommandError(
        "This release's changes cannot be undone. To go back, install the earlier release and "
        "restore the backup that was made before the upgrade (README, Upgrade)."
    )


class Migration(migrations.Migration):
    """The workspace of a key pair is a row. Apart from 0005, as PostgreSQL alters no table that has
    waiting checks of foreign keys.
    """

    dependencies = [("credentials", "0005_labels_to_workspaces")]

    operations = [
        migrations.RemoveField("keypair", "workspace"),
        migrations.RenameField("keypair", "home", "workspace"),
        migrations.AlterField(
            "keypair",
            "workspace",
            models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="key_pairs",
                to="credentials.workspace",
            ),
        ),
        migrations.RunPython(migrations.RunPython.noop, refuse),  # last, so that it is undone first
    ]
