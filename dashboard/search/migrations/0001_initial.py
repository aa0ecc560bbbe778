import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('jobs', '0001_initial'),
        ('people', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='CallerIndex',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pages_read', models.PositiveIntegerField(default=0)),
                ('totals', models.JSONField(default=list)),
                ('unreadable', models.PositiveIntegerField(default=0)),
                ('unfit', models.PositiveIntegerField(default=0)),
                ('job', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, to='jobs.job')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='caller_indexes', to='people.workspace')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='ContactMark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('record_id', models.BigIntegerField()),
                ('mark', models.CharField(max_length=32)),
                ('index', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='marks', to='search.callerindex')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('index', 'mark', 'record_id'), name='one_mark_of_each_record')],
            },
        ),
    ]
