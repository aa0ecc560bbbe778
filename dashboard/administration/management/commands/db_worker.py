"""`manage.py db_worker`: the worker of django-tasks-db, which also stores heartbeats."""

import logging
import sys
import time
from typing import Any

from django.db import Error, InterfaceError, OperationalError, connection
from django_tasks_db.management.commands import db_worker
from django_tasks_db.utils import is_locked_database_exception

from dashboard.administration.models import forget_worker, heartbeats
from dashboard.core import logs

DATABASE_INTERVAL = 2  # seconds between two tries

logger = logging.getLogger(__name__)


class Command(db_worker.Command):
    help = "Process deletions, jobs and emails until stopped (SIGTERM or Ctrl+C)."

    def check(self, *args: Any, **options: Any) -> None:
        """Check the database as well: a worker must not work on the tables of a later release."""
        super().check(*args, **{**options, "databases": ["default"]})

    def handle(self, **options: Any) -> None:
        logs.log_what_python_prints()
        try:
            while not self._worked(options):
                logger.warning("the database is locked; the worker continues")
        except Exception as error:
            logger.critical("the worker ends", exc_info=True)
            if isinstance(error, Error):
                _forget_when_database_answers()
            sys.exit(1)

    def _worked(self, options: dict[str, Any]) -> bool:
        """Work until the worker is stopped; return False if SQLite was locked for too long."""
        try:
            with heartbeats():
                super().handle(**options)
        except OperationalError as error:
            if not is_locked_database_exception(error):
                raise
            return False
        return True


def _forget_when_database_answers() -> None:
    """Delete the heartbeat, so that the site does not report this worker as one that died."""
    while True:
        try:
            forget_worker()
        except (OperationalError, InterfaceError):
            connection.close()
            time.sleep(DATABASE_INTERVAL)
        else:
            return
