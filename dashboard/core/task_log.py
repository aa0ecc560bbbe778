"""What a worker does for a request has that request's id in its log lines and calls."""

from typing import Any

from django.db.models.signals import pre_save
from django_tasks.signals import task_finished, task_started
from structlog.contextvars import bind_contextvars, unbind_contextvars

from dashboard.core import logs

KEY = "request_id"  # in the stored arguments of a task, beside "args" and "kwargs"


def connect() -> None:
    """Note the request in each new task, and bind it while a worker carries the task out."""
    from django_tasks_db.models import DBTaskResult  # once the apps are loaded

    pre_save.connect(_note, sender=DBTaskResult, dispatch_uid="tasks.note")
    task_started.connect(_bind, dispatch_uid="tasks.bind")
    task_finished.connect(_unbind, dispatch_uid="tasks.unbind")


def _note(*, instance: Any, **kwargs: Any) -> None:
    if instance._state.adding and (found := logs.request_id()):
        instance.args_kwargs = {**instance.args_kwargs, KEY: found}


def _bind(*, task_result: Any, **kwargs: Any) -> None:
    unbind_contextvars(KEY)
    stored: Any = getattr(task_result, "db_result", None)
    if stored is not None and (found := stored.args_kwargs.get(KEY)):
        bind_contextvars(**{KEY: found})


def _unbind(**kwargs: Any) -> None:
    unbind_contextvars(KEY)
