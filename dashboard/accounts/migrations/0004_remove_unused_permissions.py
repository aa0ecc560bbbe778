"""Remove two permissions that no view requires."""

from typing import Any

from django.db import migrations

UNUSED = ("bulk_records", "export_records")


def delete_unused(apps: Any, schema_editor: Any) -> None:
    """Delete their rows, which Django keeps when a permission leaves Meta.permissions."""
    permissions = apps.get_model("auth", "Permission").objects.using(schema_editor.connection.alias)
    permissions.filter(content_type__app_label="accounts", codename__in=UNUSED).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_how_people_write"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="user",
            options={
                "permissions": [
                    ("view_records", "See the business records"),
                    ("edit_records", "Create and change business records"),
                    ("delete_records", "Delete business records"),
                    ("see_who_has_keys", "See who has connected API keys"),
                    ("manage_settings", "Change what applies to everyone"),
                ]
            },
        ),
        migrations.RunPython(delete_unused, migrations.RunPython.noop),
    ]
