import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0003_job'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='entry',
            name='audit_workspace',
        ),
        migrations.RemoveIndex(
            model_name='entry',
            name='audit_job',
        ),
        migrations.AlterField(
            model_name='entry',
            name='at',
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.AddIndex(
            model_name='entry',
            index=models.Index(fields=['job', 'id'], name='audit_of_job'),
        ),
        migrations.AddIndex(
            model_name='entry',
            index=models.Index(fields=['at', 'id', 'workspace', 'resource', 'operation', 'outcome', 'who', 'record_id', 'job'], name='audit_page'),
        ),
    ]
