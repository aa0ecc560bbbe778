"""The ledger has the rows. The tables are kept for one release, so that none is lost."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("outbox", "0006_workspace_of_earlier_writes"),
        ("ledger", "0002_earlier_writes"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel("RecordLock"),
                migrations.DeleteModel("Submission"),
            ]
        )
    ]
