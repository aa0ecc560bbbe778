"""The ledger has the rows. Their table is kept for one release, so that none is lost; it no longer
keeps a job from being deleted.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0002_not_sent_and_found_rows"),
        ("ledger", "0006_earlier_rows_of_jobs"),
    ]

    operations = [
        migrations.AlterField(
            "jobrow",
            "job",
            models.ForeignKey(
                "jobs.job",
                django.db.models.deletion.CASCADE,
                related_name="rows",
                db_constraint=False,
            ),
        ),
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel("JobRow")]),
    ]
