"""The sealed columns by the name of what they hold; the database keeps them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("drafts", "0005_times_of_deletions_by_the_database")]

    operations = [
        migrations.AlterField("draft", "sealed", models.TextField(db_column="sealed", editable=False)),
        migrations.RenameField("draft", "sealed", "content"),
        migrations.AlterField("deletion", "sealed", models.TextField(db_column="sealed", editable=False)),
        migrations.RenameField("deletion", "sealed", "content"),
    ]
