"""The sealed columns by the name of what they hold; the database keeps them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("preferences", "0006_days_of_recent_invoices")]

    operations = [
        migrations.AlterField("savedview", "sealed", models.TextField(db_column="sealed", editable=False)),
        migrations.RenameField("savedview", "sealed", "content"),
        migrations.AlterField("recentrecord", "sealed", models.TextField(db_column="sealed", blank=True, default="", editable=False)),
        migrations.RenameField("recentrecord", "sealed", "content"),
    ]
