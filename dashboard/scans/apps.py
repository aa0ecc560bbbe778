"""The scans room."""

from django.apps import AppConfig


class ScansConfig(AppConfig):
    """Lists that are read to their end."""

    name = "dashboard.scans"
