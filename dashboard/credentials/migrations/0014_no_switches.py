from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [('credentials', '0013_copy_settings')]

    operations = [migrations.DeleteModel(name='Switch')]
