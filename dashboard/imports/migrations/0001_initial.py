import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('jobs', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Import',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('workspace', models.CharField(blank=True, default='', max_length=100)),
                ('resource', models.CharField(max_length=20)),
                ('content', models.TextField(editable=False)),
                ('settings', models.TextField(blank=True, default='', editable=False)),
                ('headings', models.CharField(blank=True, default='', max_length=64)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('upload_digest', models.CharField(max_length=64, null=True, unique=True)),
                ('table', models.TextField(blank=True, default='', editable=False)),
                ('discarded_at', models.DateTimeField(null=True)),
                ('job', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='imported', to='jobs.job')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='imports', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddIndex(
            model_name='import',
            index=models.Index(fields=['person', 'resource', 'headings'], name='imports_headings'),
        ),
    ]
