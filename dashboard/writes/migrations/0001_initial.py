import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Write',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.CharField(max_length=80, unique=True)),
                ('form_token', models.CharField(blank=True, default='', max_length=80)),
                ('who', models.CharField(blank=True, default='', max_length=150)),
                ('owner', models.CharField(max_length=64)),
                ('workspace', models.CharField(blank=True, default='', max_length=100)),
                ('resource', models.CharField(max_length=20)),
                ('operation', models.CharField(max_length=10)),
                ('record_id', models.BigIntegerField(null=True)),
                ('job', models.BigIntegerField(null=True)),
                ('number', models.PositiveIntegerField(null=True)),
                ('attempt', models.PositiveSmallIntegerField(default=0)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('sending', 'Sending'), ('saved', 'Saved'), ('not saved', 'Not saved'), ('not sure', 'Not sure'), ('skipped', 'Skipped'), ('cancelled', 'Cancelled')], default='sending', max_length=10)),
                ('resolution', models.CharField(blank=True, choices=[('', 'Open'), ('found', 'It was saved'), ('sent again', 'Sent again'), ('left', 'Closed')], default='', max_length=12)),
                ('content', models.TextField(blank=True, editable=False)),
                ('answer', models.TextField(default='', editable=False)),
                ('changes', models.TextField(blank=True, default='', editable=False)),
                ('error_summary', models.CharField(blank=True, default='', max_length=60)),
                ('digest', models.CharField(max_length=64)),
                ('asked_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('not_before', models.DateTimeField(null=True)),
                ('sent_at', models.DateTimeField(null=True)),
                ('reserved_until', models.DateTimeField(null=True)),
                ('done_at', models.DateTimeField(null=True)),
                ('copy_until', models.DateTimeField(null=True)),
                ('job_row', models.TextField(blank=True, default='', editable=False)),
                ('reviewed', models.BooleanField(default=False)),
                ('person', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='writes', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='RelatedRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('resource', models.CharField(max_length=20)),
                ('record_id', models.BigIntegerField()),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='related', to='writes.write')),
            ],
        ),
        migrations.CreateModel(
            name='Draft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.CharField(max_length=40, unique=True)),
                ('workspace', models.CharField(blank=True, max_length=100)),
                ('path', models.CharField(max_length=200)),
                ('content', models.TextField(db_column='sealed', editable=False)),
                ('stored_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('discarded_at', models.DateTimeField(null=True)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['person', 'stored_at'], name='drafts_of_person'), models.Index(fields=['stored_at'], name='drafts_by_age')],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('who', models.CharField(max_length=150)),
                ('owner', models.CharField(max_length=64)),
                ('workspace', models.CharField(max_length=100)),
                ('resource', models.CharField(max_length=20)),
                ('record_id', models.BigIntegerField(null=True)),
                ('operation', models.CharField(max_length=10)),
                ('changes', models.TextField(editable=False)),
                ('person', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'base_manager_name': 'rows',
                'default_manager_name': 'objects',
                'indexes': [models.Index(fields=['record_id', 'resource'], name='events_of_record'), models.Index(fields=['at', 'id', 'workspace', 'resource', 'operation', 'who', 'record_id'], name='events_history')],
            },
            managers=[
                ('rows', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddIndex(
            model_name='write',
            index=models.Index(fields=['person', 'state', 'resolution'], name='writes_open'),
        ),
        migrations.AddIndex(
            model_name='write',
            index=models.Index(fields=['form_token'], name='writes_of_form'),
        ),
        migrations.AddIndex(
            model_name='write',
            index=models.Index(fields=['state', 'reserved_until'], name='writes_sending'),
        ),
        migrations.AddIndex(
            model_name='write',
            index=models.Index(fields=['person', 'resource', 'record_id'], name='writes_of_record'),
        ),
        migrations.AddIndex(
            model_name='write',
            index=models.Index(condition=models.Q(('not_before__isnull', False)), fields=['person', 'state', 'resolution'], name='writes_counted_down'),
        ),
        migrations.AddIndex(
            model_name='write',
            index=models.Index(condition=models.Q(('copy_until__isnull', False)), fields=['person', 'copy_until'], name='writes_with_copy'),
        ),
        migrations.AddIndex(
            model_name='write',
            index=models.Index(condition=models.Q(('job__isnull', False)), fields=['job', 'state', 'attempt', 'number'], name='writes_of_job'),
        ),
        migrations.AddIndex(
            model_name='write',
            index=models.Index(fields=['record_id', 'resource'], name='writes_around_record'),
        ),
        migrations.AddIndex(
            model_name='write',
            index=models.Index(fields=['job', 'id'], name='writes_by_job'),
        ),
        migrations.AddIndex(
            model_name='write',
            index=models.Index(fields=['done_at', 'id', 'sent_at', 'workspace', 'resource', 'operation', 'state', 'who', 'record_id', 'job'], name='writes_history'),
        ),
        migrations.AddConstraint(
            model_name='write',
            constraint=models.UniqueConstraint(condition=models.Q(('number__isnull', False)), fields=('job', 'number', 'attempt'), name='writes_attempt_at_row'),
        ),
        migrations.AddConstraint(
            model_name='write',
            constraint=models.UniqueConstraint(condition=models.Q(('record_id__isnull', False), ('state', 'sending')), fields=('workspace', 'resource', 'record_id'), name='writes_one_of_record'),
        ),
        migrations.AddIndex(
            model_name='relatedrecord',
            index=models.Index(fields=['resource', 'record_id'], name='related_record'),
        ),
    ]
