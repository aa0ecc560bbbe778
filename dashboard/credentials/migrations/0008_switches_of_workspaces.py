import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Switches and memberships get room for a workspace; the next migration fills that of switches."""

    dependencies = [("credentials", "0007_pauses_of_workers")]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="put_into",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="credentials.workspace",
            ),
        ),
        migrations.AddField(
            model_name="switch",
            name="workspace",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="switches",
                to="credentials.workspace",
            ),
        ),
        migrations.AlterField(
            model_name="switch", name="operation", field=models.CharField(max_length=40)
        ),
    ]
