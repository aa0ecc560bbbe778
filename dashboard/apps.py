"""The dashboard as an app of Django."""

from django.apps import AppConfig
from django.conf import settings


class DashboardConfig(AppConfig):
    """Everything that belongs to no other app."""

    name = "dashboard"

    def ready(self) -> None:
        """Register the project's system checks; start the logs and reports."""
        from dashboard import checks  # noqa: F401
        from dashboard.monitoring import logs, sentry

        logs.configure()
        if settings.SENTRY_DSN:
            sentry.start(settings.SENTRY_DSN)
