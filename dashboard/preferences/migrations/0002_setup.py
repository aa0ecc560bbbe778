from django.db import migrations, models


class Migration(migrations.Migration):
    """The currency of a workspace, and whether its setup has ended."""

    dependencies = [("preferences", "0001_initial")]

    operations = [
        migrations.AddField(
            "office", "currency", models.CharField(blank=True, default="", max_length=20)
        ),
        migrations.AddField("office", "setup_ended", models.BooleanField(default=False)),
    ]
