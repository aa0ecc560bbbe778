"""The jobs room."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Jobs that worker processes carry out."""

    name = "dashboard.jobs"
