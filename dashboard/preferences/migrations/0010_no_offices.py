from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('preferences', '0009_conversions_by_what_was_made'),
        ('credentials', '0013_copy_settings'),
    ]

    operations = [
        migrations.DeleteModel(
            name='Office',
        ),
    ]
