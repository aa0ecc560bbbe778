"""The ledger has the deletions. Their table is kept for one release, so that none is lost;
it no longer keeps an account from being deleted.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("drafts", "0006_content_of_sealed"),
        ("ledger", "0004_earlier_deletions"),
    ]

    operations = [
        migrations.AlterField(
            "deletion",
            "person",
            models.ForeignKey(
                settings.AUTH_USER_MODEL,
                django.db.models.deletion.CASCADE,
                related_name="deletions",
                db_constraint=False,
            ),
        ),
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel("Deletion")])
    ]
