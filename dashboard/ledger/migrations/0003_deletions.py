"""Columns for deletions that wait, and for the copies of deleted records."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0002_earlier_writes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField("write", "why", models.CharField(blank=True, default="", max_length=200)),
        migrations.AddField("write", "copy_until", models.DateTimeField(null=True)),
        migrations.AddIndex(
            "write",
            models.Index(
                fields=["person", "state", "resolution"],
                condition=models.Q(not_before__isnull=False),
                name="writes_counted_down",
            ),
        ),
        migrations.AddIndex(
            "write",
            models.Index(
                fields=["person", "copy_until"],
                condition=models.Q(copy_until__isnull=False),
                name="writes_with_copy",
            ),
        ),
    ]
