"""The sealed column by the name of what it holds; the database keeps it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit", "0006_workspace_of_accounts")]

    operations = [
        migrations.AlterField("entry", "sealed", models.TextField(db_column="sealed", editable=False)),
        migrations.RenameField("entry", "sealed", "content"),
    ]
