from typing import Any

from django.db import migrations

COPIED = ("method", "told", "due_days", "currency", "setup_ended")


def copy_settings(apps: Any, schema_editor: Any) -> None:
    """The settings and switches of a workspace come into its own row."""
    switches = apps.get_model("credentials", "Switch").objects
    offices = apps.get_model("preferences", "Office").objects
    for workspace in apps.get_model("credentials", "Workspace").objects.all():
        own = switches.filter(workspace=workspace)
        workspace.switches = dict(own.values_list("operation", "is_on"))
        for stored in offices.filter(workspace=workspace.pk).values(*COPIED):
            for name, value in stored.items():
                setattr(workspace, name, value)
        workspace.save()


class Migration(migrations.Migration):

    dependencies = [
        ('credentials', '0012_settings_of_workspaces'),
        ('preferences', '0009_conversions_by_what_was_made'),
    ]

    operations = [migrations.RunPython(copy_settings, migrations.RunPython.noop)]
