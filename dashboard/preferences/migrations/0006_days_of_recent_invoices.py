from django.db import migrations, models


class Migration(migrations.Migration):
    """The payment terms of a customer follow the last invoices, not the last one alone."""

    dependencies = [("preferences", "0005_saved_views")]

    operations = [
        migrations.AddField("terms", "recent", models.JSONField(blank=True, default=list)),
    ]
