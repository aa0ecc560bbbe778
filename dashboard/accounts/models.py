"""Staff users."""

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """A person of the office. Business records are not kept here; they live in the API."""

    class Meta:
        permissions = [
            ("view_records", "See the business records"),
            ("edit_records", "Create and change business records"),
            ("delete_records", "Delete business records"),
            ("bulk_records", "Change many business records at once"),
            ("export_records", "Export business records"),
            ("see_who_has_keys", "See who has connected API keys"),
            ("manage_settings", "Change what applies to everyone"),
        ]
