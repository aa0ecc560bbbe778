from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def begin_again(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Read the lists of unfinished XLSX files again, as their rows are stored in another form."""
    stored = apps.get_model("exports", "Piece").objects.filter(kind="rows")
    exports = list(stored.values_list("export", flat=True).distinct())
    stored.delete()
    nothing = {"pages_read": 0, "totals": [], "unreadable": 0, "gone": 0}
    apps.get_model("exports", "Export").objects.filter(pk__in=exports).update(**nothing)
    apps.get_model("jobs", "Job").objects.filter(export__in=exports).update(counts={})


class Migration(migrations.Migration):
    dependencies = [
        ("exports", "0002_form_digest"),
    ]

    operations = [
        migrations.AddField(
            model_name="export",
            name="sheet",
            field=models.JSONField(default=dict),
        ),
        migrations.AlterField(
            model_name="piece",
            name="kind",
            field=models.CharField(
                choices=[
                    ("text", "Text of the file"),
                    ("bytes", "Bytes of the file in base64"),
                    ("sheet", "Rows of a sheet, compressed, in base64"),
                ],
                max_length=5,
            ),
        ),
        migrations.RunPython(begin_again, migrations.RunPython.noop),
    ]
