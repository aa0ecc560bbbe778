"""The imports room."""

from django.apps import AppConfig


class ImportsConfig(AppConfig):
    """Records from the rows of a file."""

    name = "dashboard.imports"
