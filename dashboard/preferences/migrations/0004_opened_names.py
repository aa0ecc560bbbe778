from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('preferences', '0003_recent_records'),
    ]

    operations = [
        migrations.AddField(
            model_name='recentrecord',
            name='sealed',
            field=models.TextField(blank=True, default='', editable=False),
        ),
    ]
