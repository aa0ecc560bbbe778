import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Every switch is of a workspace, with at most one for each operation."""

    dependencies = [("credentials", "0009_copy_switches")]

    operations = [
        migrations.AlterField(
            model_name="switch",
            name="workspace",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="switches",
                to="credentials.workspace",
            ),
        ),
        migrations.AddConstraint(
            model_name="switch",
            constraint=models.UniqueConstraint(
                fields=("workspace", "operation"), name="one_switch_for_each_operation"
            ),
        ),
    ]
