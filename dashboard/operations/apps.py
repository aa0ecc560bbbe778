"""The Django app of what operators look at."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """The page about everything that waits, figures, backups, tidying."""

    name = "dashboard.operations"
