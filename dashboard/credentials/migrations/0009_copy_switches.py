from datetime import time
from typing import Any

from django.db import migrations
from django.utils import timezone


def copy_switches(apps: Any, schema_editor: Any) -> None:
    """What held for everybody holds for each workspace."""
    switches = apps.get_model("credentials", "Switch").objects
    workspaces = list(apps.get_model("credentials", "Workspace").objects.all())
    for old in list(switches.filter(workspace=None)):
        for workspace in workspaces:
            switches.create(workspace=workspace, operation=old.operation, is_on=old.is_on)
        old.delete()


def forget_days(apps: Any, schema_editor: Any) -> None:
    """Contacts whose time of creation is a bare day tell no workspace from another (proof.py)."""
    known = apps.get_model("credentials", "KnownContact").objects
    days = [
        number
        for number, moment in known.values_list("pk", "created_on").iterator()
        if moment.year <= 1970 or time() in (moment.time(), timezone.localtime(moment).time())
    ]
    for start in range(0, len(days), 500):
        known.filter(pk__in=days[start : start + 500]).delete()


class Migration(migrations.Migration):
    """The switches of the site become those of each workspace. New workspaces begin with the
    setting API_UNPUBLISHED.
    """

    dependencies = [("credentials", "0008_switches_of_workspaces")]

    operations = [
        migrations.RunPython(copy_switches, migrations.RunPython.noop),
        migrations.RunPython(forget_days, migrations.RunPython.noop),
    ]
