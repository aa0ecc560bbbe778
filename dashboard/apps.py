"""The dashboard as an app of Django."""

from django.apps import AppConfig


class DashboardConfig(AppConfig):
    """Everything that belongs to no other app."""

    name = "dashboard"

    def ready(self) -> None:
        """Register the project's system checks."""
        from dashboard import checks  # noqa: F401
