"""The ledger has the rows. The tables are kept for one release, so that none is lost;
they no longer keep an account from being deleted.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0007_content_of_sealed"),
        ("ledger", "0008_earlier_history"),
    ]

    operations = [
        migrations.AlterField(
            "entry",
            "person",
            models.ForeignKey(
                settings.AUTH_USER_MODEL,
                django.db.models.deletion.SET_NULL,
                null=True,
                db_constraint=False,
            ),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel("About"),
                migrations.DeleteModel("Entry"),
            ]
        )
    ]
