from django.db import migrations, models
from django.db.models.functions import Now


def everything_is_in_history(apps, schema_editor):
    """Until now the audit entry was written together with the outcome."""
    finished = apps.get_model('outbox', 'Submission').objects.exclude(state='sending')
    finished.update(in_history=True)


class Migration(migrations.Migration):

    dependencies = [
        ('outbox', '0002_turns'),
    ]

    operations = [
        migrations.RenameModel(old_name='Turn', new_name='RecordLock'),
        migrations.RenameField(model_name='recordlock', old_name='holder', new_name='token'),
        migrations.AlterField(
            model_name='recordlock',
            name='token',
            field=models.CharField(max_length=80),
        ),
        migrations.AlterField(
            model_name='submission',
            name='started_at',
            field=models.DateTimeField(db_default=Now()),
        ),
        migrations.AlterField(
            model_name='submission',
            name='body',
            field=models.TextField(blank=True, editable=False),
        ),
        migrations.AddField(
            model_name='submission',
            name='workspace',
            field=models.CharField(blank=True, default='', max_length=100),
        ),
        migrations.AddField(
            model_name='submission',
            name='in_history',
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(everything_is_in_history, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['in_history', 'state'], name='outbox_not_in_history'),
        ),
    ]
