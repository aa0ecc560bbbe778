from typing import Any

from django.db import migrations


def place_entries(apps: Any, schema_editor: Any) -> None:
    """Give each change of an account the workspace of the administrator who made it, else that of
    the account. A change between two people without keys stays in no workspace.
    """
    pairs = apps.get_model("credentials", "KeyPair").objects
    homes = dict(pairs.values_list("user_id", "workspace_id"))
    entries = apps.get_model("audit", "Entry").objects.filter(resource="staff", workspace="")
    for number, acting, account in entries.values_list("pk", "person_id", "record_id").iterator():
        home = homes.get(acting) or homes.get(account)
        if home:
            entries.filter(pk=number).update(workspace=home)


class Migration(migrations.Migration):
    """Administrators see changes of accounts in the history of their own workspace."""

    dependencies = [
        ("audit", "0005_index_of_record"),
        ("credentials", "0010_switch_needs_workspace"),
    ]

    operations = [migrations.RunPython(place_entries, migrations.RunPython.noop)]
