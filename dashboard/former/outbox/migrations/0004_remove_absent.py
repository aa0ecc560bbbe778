"""Remove a resolution that no code sets."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("outbox", "0003_locks_and_history")]

    operations = [
        migrations.AlterField(
            model_name="submission",
            name="settled",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", "Open"),
                    ("found", "It was saved"),
                    ("sent again", "Sent again"),
                    ("left", "Left as it is"),
                ],
                default="",
                max_length=12,
            ),
        ),
    ]
