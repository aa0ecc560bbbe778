"""The dashboard as an app of Django."""

import logging

from django.apps import AppConfig
from django.conf import settings
from django.db.backends.signals import connection_created


class DashboardConfig(AppConfig):
    """Everything that belongs to no other app."""

    name = "dashboard.site"

    def ready(self) -> None:
        """Register the system checks; keep database files private; start the logs and reports."""
        from dashboard.core import logs, sentry, task_log
        from dashboard.site import checks  # noqa: F401
        from dashboard.site.private_files import keep_private

        connection_created.connect(keep_private)
        logging.raiseExceptions = settings.DEBUG  # a line that cannot be written is no traceback
        logs.configure()
        task_log.connect()
        if settings.SENTRY_DSN:
            sentry.start(settings.SENTRY_DSN)
