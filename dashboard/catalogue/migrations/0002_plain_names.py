from django.db import migrations


class Migration(migrations.Migration):
    """Models and their tables are named by what they hold."""

    dependencies = [("catalogue", "0001_initial")]

    operations = [
        migrations.RenameModel("Entry", "ListEntry"),
        migrations.RenameModel("Sighting", "UnnamedReference"),
        migrations.RenameModel("Edition", "ListVersion"),
    ]
