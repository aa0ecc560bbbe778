"""Deletes expired data, once a day in a worker or with `manage.py tidy`."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.contrib.sessions.models import Session
from django.db import OperationalError
from django.utils import timezone
from django_tasks import TaskResultStatus, task
from django_tasks_db.models import DBTaskResult

from dashboard.core import retention
from dashboard.jobs import services as jobs
from dashboard.writes import ledger

PRUNING_INTERVAL = timedelta(days=1)
TASK_RETENTION = timedelta(days=7)
TASK_TIMEOUT = timedelta(days=1)  # no task runs that long: its worker was killed


logger = logging.getLogger(__name__)


class Incomplete(Exception):  # noqa: N818
    """Some parts failed; the log says why. `done`: the number of rows deleted by each other
    part.
    """

    def __init__(self, done: dict[str, int], failed: list[str]):
        super().__init__(f"Failed: {', '.join(failed)}. The log says why.")
        self.done = done


def prune() -> dict[str, int]:
    """Run every part, in batches. Return the number of rows of each. Raises Incomplete at the end
    if one failed, and OperationalError at once if the database is away.
    """
    done: dict[str, int] = {}
    failed: list[str] = []
    for name, part in parts().items():
        try:
            done[name] = part()
        except OperationalError:
            raise
        except Exception:  # the other parts run after any error
            logger.exception("pruning failed: %s", name)
            failed.append(name)
    if failed:
        raise Incomplete(done, failed)
    return done


@task(priority=-50)
def prune_daily() -> None:
    prune()


def plan(after: datetime) -> bool:
    """Schedule a run for this time or later. Return False if one is scheduled already."""
    waiting = DBTaskResult.objects.filter(status=TaskResultStatus.READY)
    if waiting.filter(task_path=prune_daily.module_path).exists():
        return False
    prune_daily.using(run_after=after).enqueue()
    return True


def plan_next(*, instance: DBTaskResult[..., Any], **kwargs: object) -> None:
    """Schedule tomorrow's run as a worker claims today's (a receiver of post_save), in the same
    transaction, so that a worker killed at any moment leaves one scheduled.
    """
    is_claimed = instance.status == TaskResultStatus.RUNNING
    if is_claimed and instance.task_path == prune_daily.module_path:
        plan(timezone.now() + PRUNING_INTERVAL)


def _sessions() -> int:
    return retention.delete(Session.objects.filter(expire_date__lt=timezone.now()))


def _tasks() -> int:
    """Delete finished tasks after a week, and those whose worker was killed."""
    now = timezone.now()
    kept_since = now - TASK_RETENTION
    finished = retention.delete(DBTaskResult.objects.finished().filter(finished_at__lt=kept_since))
    lost = DBTaskResult.objects.running().filter(started_at__lt=now - TASK_TIMEOUT)
    return finished + retention.delete(lost)


def parts() -> dict[str, Callable[[], int]]:
    return {
        "lost writes, now Not sure": ledger.end_lost,
        "writes of deleted accounts, closed": ledger.release_ownerless,
        "contents of resolved writes, emptied": ledger.empty_contents,
        **{words: partial(retention.purge, model) for words, model in retention.declared().items()},
        "rows of deleted jobs": jobs.release_rows,
        "sessions": _sessions,
        "tasks of workers": _tasks,
    }
