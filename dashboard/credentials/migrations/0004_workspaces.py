import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import dashboard.credentials.models


class Migration(migrations.Migration):
    """Workspaces, their members and what is known of them; `home` becomes KeyPair.workspace."""

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("credentials", "0003_closed_areas"),
    ]

    operations = [
        migrations.CreateModel(
            name="Workspace",
            fields=[
                ("id", models.CharField(default=dashboard.credentials.models.new_id, editable=False, max_length=100, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=100)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("state", models.CharField(choices=[("invited", "Invited"), ("member", "Member"), ("unmatched", "Put out: the keys did not match"), ("removed", "Put out by an administrator")], max_length=10)),
                ("by_word", models.BooleanField(default=False)),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("changed_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("user", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to=settings.AUTH_USER_MODEL)),
                ("workspace", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to="credentials.workspace")),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("workspace", "user"), name="one_membership_of_each_workspace")],
            },
        ),
        migrations.CreateModel(
            name="KnownContact",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("record_id", models.BigIntegerField(db_index=True)),
                ("created_on", models.DateTimeField()),
                ("workspace", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="known_contacts", to="credentials.workspace")),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("workspace", "record_id"), name="one_known_contact_for_each_id")],
            },
        ),
        migrations.AddField("keypair", "checked_at", models.DateTimeField(null=True)),
        migrations.AddField(
            "keypair",
            "home",
            models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="key_pairs", to="credentials.workspace"),
        ),
    ]
