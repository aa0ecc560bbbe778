"""`manage.py db_worker`: the worker of django-tasks-db, which also stores heartbeats."""

import logging
import sys
from typing import Any

from django_tasks_db.management.commands import db_worker

from dashboard.administration.models import heartbeats
from dashboard.core import logs

logger = logging.getLogger(__name__)


class Command(db_worker.Command):
    help = "Carry out deletions, jobs and mails until it is stopped (SIGTERM or Ctrl+C)."

    def handle(self, **options: Any) -> None:
        logs.log_what_python_prints()
        try:
            with heartbeats():
                super().handle(**options)
        except Exception:
            logger.critical("the worker ends", exc_info=True)
            sys.exit(1)
