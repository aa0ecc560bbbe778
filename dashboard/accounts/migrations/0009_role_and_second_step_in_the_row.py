"""The role and whether there is a second step stand in a person's row.

The groups stay one release, for who goes back to the one before.
"""

from typing import Any

from django.db import migrations, models

ROLES = ("Viewer", "Editor", "Manager", "Administrator")  # from the fewest permissions to the most


def fill(apps: Any, schema_editor: Any) -> None:
    """From the groups, of which the one with the most permissions counts, and authenticators."""
    using = schema_editor.connection.alias
    people = apps.get_model("accounts", "User").objects.using(using)
    for role in ROLES:
        people.filter(groups__name=role).update(role=role)
    owners = apps.get_model("mfa", "Authenticator").objects.using(using)
    steps = owners.filter(type__in=("totp", "webauthn"))
    people.filter(pk__in=steps.values("user")).update(has_second_step=True)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0008_former_addresses_and_requests"),
        ("mfa", "0003_authenticator_type_uniq"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="role",
            field=models.CharField(blank=True, db_index=True, default="", editable=False, max_length=20),
        ),
        migrations.AddField(
            model_name="user",
            name="has_second_step",
            field=models.BooleanField(default=False, editable=False),
        ),
        migrations.AlterModelOptions(name="user", options={"default_permissions": ()}),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
