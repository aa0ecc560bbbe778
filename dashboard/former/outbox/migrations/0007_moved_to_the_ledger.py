"""The ledger has the rows. The tables are kept for one release, so that none is lost;
they no longer keep an account from being deleted.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("outbox", "0006_workspace_of_earlier_writes"),
        ("ledger", "0002_earlier_writes"),
    ]

    operations = [
        migrations.AlterField(
            "submission",
            "person",
            models.ForeignKey(
                settings.AUTH_USER_MODEL,
                django.db.models.deletion.CASCADE,
                related_name="submissions",
                db_constraint=False,
            ),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel("RecordLock"),
                migrations.DeleteModel("Submission"),
            ]
        )
    ]
