"""The ledger has the deletions. Their table is kept for one release, so that none is lost."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("drafts", "0006_content_of_sealed"),
        ("ledger", "0004_earlier_deletions"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel("Deletion")])
    ]
