"""The app config of the dashboard."""

import logging
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created


class DashboardConfig(AppConfig):
    name = "dashboard.site"

    def ready(self) -> None:
        """Register the system checks and the receivers, and configure logs and error reports."""
        from dashboard.core import database_pool, logs, request_log
        from dashboard.site import checks  # noqa: F401

        connection_created.connect(keep_private)
        connection_created.connect(database_pool.restore_timeout)
        logging.raiseExceptions = (
            settings.DEBUG
        )  # print no traceback if a log line cannot be written
        logs.configure()
        request_log.follow_tasks()
        if settings.SENTRY_DSN:
            logs.init_sentry(settings.SENTRY_DSN)


def keep_private(*, connection: BaseDatabaseWrapper, **details: Any) -> None:
    """Keep the files of an SQLite database from other accounts of the machine (a receiver of
    connection_created). SQLite gives its -wal and -shm files the same mode.
    """
    if connection.vendor != "sqlite":
        return
    path = Path(connection.settings_dict["NAME"])
    with suppress(OSError):  # in memory, or another account's
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
