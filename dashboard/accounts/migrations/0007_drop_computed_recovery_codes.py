from django.db import migrations


def drop(apps, schema_editor):
    """Recovery codes that can be computed from a stored seed; their owners make new ones."""
    rows = apps.get_model("mfa", "Authenticator").objects.using(schema_editor.connection.alias)
    rows.filter(type="recovery_codes").delete()


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_export_permission"),
        ("mfa", "0003_authenticator_type_uniq"),
    ]
    operations = [migrations.RunPython(drop, migrations.RunPython.noop)]
