"""Drafts name their last write that was not saved. The column has a default of the database, so
that code without it goes on storing drafts.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("drafts", "0007_deletions_in_the_ledger")]

    operations = [
        migrations.AddField(
            model_name="draft",
            name="refused_with",
            field=models.CharField(blank=True, db_default="", default="", max_length=80),
        ),
    ]
