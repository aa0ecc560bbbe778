"""The Django app of staff users and their roles."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class AccountsConfig(AppConfig):
    """Staff users and their roles."""

    name = "dashboard.accounts"

    def ready(self) -> None:
        """Update the roles after every migrate, and log what concerns security."""
        from dashboard.accounts import security_events
        from dashboard.accounts.roles import make_roles

        security_events.connect()
        post_migrate.connect(make_roles, sender=self)
