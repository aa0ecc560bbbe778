"""The ledger has the rows. The tables are kept for one release, so that none is lost."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0007_content_of_sealed"),
        ("ledger", "0008_earlier_history"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel("About"),
                migrations.DeleteModel("Entry"),
            ]
        )
    ]
