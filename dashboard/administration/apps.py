"""The Django app of administration and operation."""

from django.apps import AppConfig
from django.db.models.signals import post_save


class OperationsConfig(AppConfig):
    name = "dashboard.administration"

    def ready(self) -> None:
        """Plan the next run of pruning whenever a worker claims one."""
        from django_tasks_db.models import DBTaskResult

        from dashboard.administration.pruning import plan_next

        post_save.connect(plan_next, sender=DBTaskResult, dispatch_uid="pruning.plan_next")
