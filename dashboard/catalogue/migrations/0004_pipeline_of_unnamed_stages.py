from django.db import migrations, models


class Migration(migrations.Migration):
    """A stage that has no name yet keeps the pipeline of the deal in which it was found."""

    dependencies = [("catalogue", "0003_told_names")]

    operations = [
        migrations.AddField(
            "unnamedreference", "parent", models.CharField(blank=True, default="", max_length=200)
        ),
    ]
