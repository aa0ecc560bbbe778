"""The Django app of what operators look at."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """Pauses of calls to the service, and the page about everything that waits."""

    name = "dashboard.operations"
