from datetime import timedelta

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.utils import timezone

UPGRADED = "The dashboard was upgraded. Continue, and the list is read again for this file."


def begin_again(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Read the lists of unfinished exports again, as rows are stored in another form; those of
    finished ones whose file would be kept for some more hours, once their person says so.
    """
    apps.get_model("exports", "Piece").objects.all().delete()
    kept = models.Q(job__state="finished", job__finished_at__gt=timezone.now() - timedelta(hours=24))
    wanted = ~models.Q(job__state__in=["finished", "stopped"]) | kept
    exports = apps.get_model("exports", "Export").objects.filter(wanted)
    found = list(exports.values_list("job", flat=True))
    jobs = apps.get_model("jobs", "Job").objects.filter(pk__in=found)
    exports.update(pages_read=0, totals=[], unreadable=0, gone=0, warnings=[])
    jobs.update(counts={})
    jobs.filter(state="finished").update(state="paused", reason=UPGRADED, finished_at=None)


class Migration(migrations.Migration):
    dependencies = [
        ("exports", "0003_sheet"),
    ]

    operations = [
        migrations.RemoveField(model_name="export", name="sheet"),
        migrations.RemoveField(model_name="piece", name="kind"),
        migrations.AlterField(
            model_name="export",
            name="job",
            field=models.OneToOneField(on_delete=models.deletion.CASCADE, to="jobs.job"),
        ),
        migrations.RunPython(begin_again, migrations.RunPython.noop),
    ]
