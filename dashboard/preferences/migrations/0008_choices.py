import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def gather(apps, schema_editor):
    """One row for all that a user chose last, in place of one row for each field."""
    choices = {}
    for row in apps.get_model("preferences", "LastUsed").objects.order_by("pk"):
        of_user = choices.setdefault(row.user_id, {})
        of_user.setdefault(row.workspace, {})[row.field] = row.value
    model = apps.get_model("preferences", "Choices")
    model.objects.bulk_create(
        model(user_id=user_id, by_workspace=of_user) for user_id, of_user in choices.items()
    )


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("credentials", "0005_labels_to_workspaces"),  # gives the rows the ids of workspaces
        ("preferences", "0007_content_of_sealed"),
    ]

    operations = [
        migrations.CreateModel(
            name="Choices",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("by_workspace", models.JSONField(default=dict)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="choices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.RunPython(gather, migrations.RunPython.noop),
        migrations.DeleteModel(name="LastUsed"),
    ]
