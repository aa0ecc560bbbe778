import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """The workspace of a key pair is a row. Apart from 0005, as PostgreSQL alters no table that has
    waiting checks of foreign keys.
    """

    dependencies = [("credentials", "0005_labels_to_workspaces")]

    operations = [
        migrations.RemoveField("keypair", "workspace"),
        migrations.RenameField("keypair", "home", "workspace"),
        migrations.AlterField(
            "keypair",
            "workspace",
            models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="key_pairs",
                to="credentials.workspace",
            ),
        ),
    ]
