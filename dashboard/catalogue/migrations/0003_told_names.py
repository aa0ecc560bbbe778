from django.db import migrations, models


def use_told_names(apps, schema_editor):
    """References whose name the service told become entries of their lists."""
    entry = apps.get_model("catalogue", "ListEntry")
    waiting = apps.get_model("catalogue", "UnnamedReference").objects.exclude(name="")
    entry.objects.bulk_create(
        [
            entry(workspace=one.workspace, kind=one.kind, code=one.code, name=one.name, told=True)
            for one in waiting
        ],
        ignore_conflicts=True,
    )
    waiting.delete()


class Migration(migrations.Migration):
    """Names that the service tells are used at once."""

    dependencies = [("catalogue", "0002_plain_names")]

    operations = [
        migrations.AddField("listentry", "told", models.BooleanField(default=False)),
        migrations.RunPython(use_told_names, migrations.RunPython.noop),
        migrations.RemoveField("unnamedreference", "name"),
    ]
