"""The sealed column by the name of what it holds; the database keeps it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("credentials", "0010_switch_needs_workspace")]

    operations = [
        migrations.AlterField("keypair", "ciphertext", models.TextField(db_column="ciphertext", editable=False)),
        migrations.RenameField("keypair", "ciphertext", "keys"),
    ]
