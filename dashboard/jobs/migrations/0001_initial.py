import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Export',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pages_read', models.PositiveIntegerField(default=0)),
                ('totals', models.JSONField(default=list)),
                ('unreadable', models.PositiveIntegerField(default=0)),
                ('unfit', models.PositiveIntegerField(default=0)),
                ('file_name', models.CharField(max_length=100)),
                ('form_digest', models.CharField(max_length=64, null=True, unique=True)),
                ('gone', models.PositiveIntegerField(default=0)),
                ('warnings', models.JSONField(default=list)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Chunk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('content', models.TextField(editable=False)),
                ('export', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='jobs.export')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.CharField(max_length=64)),
                ('workspace', models.CharField(blank=True, default='', max_length=100)),
                ('kind', models.CharField(max_length=40)),
                ('resource', models.CharField(blank=True, default='', max_length=20)),
                ('title', models.CharField(max_length=120)),
                ('state', models.CharField(choices=[('proposed', 'Proposed'), ('waiting', 'Waiting'), ('running', 'Running'), ('paused', 'Paused'), ('stopped', 'Stopped'), ('finished', 'Finished')], default='waiting', max_length=10)),
                ('reason', models.TextField(blank=True, default='')),
                ('total', models.PositiveIntegerField(default=0)),
                ('counts', models.JSONField(default=dict)),
                ('params', models.TextField(blank=True, default='', editable=False)),
                ('slices', models.PositiveIntegerField(default=0)),
                ('lease_until', models.DateTimeField(null=True)),
                ('active_key', models.CharField(max_length=64, null=True, unique=True)),
                ('not_before', models.DateTimeField(null=True)),
                ('last_slice_at', models.DateTimeField(null=True)),
                ('failures', models.PositiveSmallIntegerField(default=0)),
                ('at_once', models.PositiveSmallIntegerField(default=8)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('finished_at', models.DateTimeField(null=True)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='jobs', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddField(
            model_name='export',
            name='job',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, to='jobs.job'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(fields=['state', 'person'], name='jobs_runnable'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(fields=['person', 'created_at'], name='jobs_of_person'),
        ),
    ]
