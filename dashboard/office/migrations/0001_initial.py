import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('people', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ListVersion',
            fields=[
                ('workspace', models.CharField(max_length=100, primary_key=True, serialize=False)),
                ('token', models.CharField(max_length=32)),
            ],
        ),
        migrations.CreateModel(
            name='ReminderTexts',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('workspace', models.CharField(max_length=100, unique=True)),
                ('content', models.TextField(editable=False)),
            ],
        ),
        migrations.CreateModel(
            name='ListEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('workspace', models.CharField(max_length=100)),
                ('kind', models.CharField(choices=[('pipeline', 'pipeline'), ('stage', 'stage'), ('template', 'document template'), ('item', 'item'), ('tax', 'tax'), ('currency', 'currency'), ('user', 'user'), ('group', 'user group'), ('contact_tag', 'contact tag'), ('lead_tag', 'lead tag'), ('country', 'country'), ('brand', 'brand'), ('contact_field', 'custom field of contacts'), ('lead_field', 'custom field of leads'), ('deal_source', 'deal source'), ('lead_source', 'lead source'), ('lead_industry', 'industry')], max_length=20)),
                ('code', models.CharField(max_length=200)),
                ('name', models.CharField(max_length=200)),
                ('position', models.PositiveIntegerField(default=0)),
                ('retired', models.BooleanField(default=False)),
                ('told', models.BooleanField(default=False)),
                ('parent', models.CharField(blank=True, default='', max_length=200)),
                ('price', models.DecimalField(blank=True, decimal_places=6, max_digits=20, null=True)),
                ('tax', models.CharField(blank=True, default='', max_length=200)),
                ('rate', models.DecimalField(blank=True, decimal_places=6, max_digits=9, null=True)),
                ('calling_code', models.CharField(blank=True, default='', max_length=8)),
                ('value_type', models.CharField(choices=[('text', 'Text'), ('long_text', 'Text of several lines'), ('number', 'Number'), ('date', 'Date'), ('yes_no', 'Yes or no'), ('choice', 'One of several choices')], default='text', max_length=20)),
                ('choices', models.JSONField(blank=True, default=list)),
                ('is_only', models.BooleanField(db_default=False, default=False)),
            ],
            options={
                'ordering': ('position', 'pk'),
                'constraints': [models.UniqueConstraint(fields=('workspace', 'kind', 'code'), name='one_entry_for_each_id')],
            },
        ),
        migrations.CreateModel(
            name='SavedChoices',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('by_workspace', models.JSONField(default=dict)),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='choices', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Terms',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('workspace', models.CharField(max_length=100)),
                ('customer', models.BigIntegerField()),
                ('recent', models.JSONField(blank=True, default=list)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('workspace', 'customer'), name='one_set_of_terms_for_each_customer')],
            },
        ),
        migrations.CreateModel(
            name='UnnamedReference',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('workspace', models.CharField(max_length=100)),
                ('kind', models.CharField(choices=[('pipeline', 'pipeline'), ('stage', 'stage'), ('template', 'document template'), ('item', 'item'), ('tax', 'tax'), ('currency', 'currency'), ('user', 'user'), ('group', 'user group'), ('contact_tag', 'contact tag'), ('lead_tag', 'lead tag'), ('country', 'country'), ('brand', 'brand'), ('contact_field', 'custom field of contacts'), ('lead_field', 'custom field of leads'), ('deal_source', 'deal source'), ('lead_source', 'lead source'), ('lead_industry', 'industry')], max_length=20)),
                ('code', models.CharField(max_length=200)),
                ('url', models.CharField(max_length=200)),
                ('place', models.CharField(max_length=100)),
                ('parent', models.CharField(blank=True, default='', max_length=200)),
                ('seen_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ('kind', 'pk'),
                'constraints': [models.UniqueConstraint(fields=('workspace', 'kind', 'code'), name='one_sighting_of_each_id')],
            },
        ),
        migrations.CreateModel(
            name='Conversion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('workspace', models.CharField(max_length=100)),
                ('source', models.BigIntegerField()),
                ('made', models.BigIntegerField(null=True)),
                ('label', models.CharField(blank=True, default='', max_length=200)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('-pk',),
                'indexes': [models.Index(fields=['workspace', 'source'], name='conversions_of_a_source'), models.Index(fields=['workspace', 'made'], name='conversions_of_what_was_made')],
            },
        ),
        migrations.CreateModel(
            name='RecentRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.CharField(max_length=64)),
                ('resource', models.CharField(max_length=20)),
                ('record_id', models.BigIntegerField()),
                ('seen_at', models.DateTimeField()),
                ('starred', models.BooleanField(default=False)),
                ('content', models.TextField(blank=True, db_column='sealed', default='', editable=False)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['user', 'owner', 'seen_at'], name='recent_by_time')],
                'constraints': [models.UniqueConstraint(fields=('user', 'owner', 'resource', 'record_id'), name='one_row_for_each_recent')],
            },
        ),
        migrations.CreateModel(
            name='Repeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('resource', models.CharField(max_length=20)),
                ('record_id', models.BigIntegerField()),
                ('frequency', models.CharField(choices=[('weekly', 'Every week'), ('monthly', 'Every month'), ('quarterly', 'Every quarter'), ('yearly', 'Every year')], max_length=10)),
                ('begins_on', models.DateField()),
                ('next_on', models.DateField()),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='repeats', to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='repeats', to='people.workspace')),
            ],
            options={
                'ordering': ('next_on', 'pk'),
                'indexes': [models.Index(fields=['person', 'workspace', 'next_on'], name='repeats_by_day')],
                'constraints': [models.UniqueConstraint(fields=('person', 'workspace', 'resource', 'record_id'), name='one_repeat_for_each_record')],
            },
        ),
        migrations.CreateModel(
            name='SavedView',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('workspace', models.CharField(max_length=100)),
                ('resource', models.CharField(max_length=20)),
                ('shared', models.BooleanField(default=False)),
                ('content', models.TextField(db_column='sealed', editable=False)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('pk',),
                'indexes': [models.Index(fields=['workspace', 'shared'], name='shared_views')],
            },
        ),
    ]
