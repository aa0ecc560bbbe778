from django.db import migrations, models


class Migration(migrations.Migration):
    """Areas that a plan lacks leave the menu."""

    dependencies = [("credentials", "0002_switches")]

    operations = [
        migrations.AddField("keypair", "closed_areas", models.JSONField(blank=True, default=list)),
    ]
