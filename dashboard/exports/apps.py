"""The exports room."""

from django.apps import AppConfig


class ExportsConfig(AppConfig):
    """Files with the records of a list."""

    name = "dashboard.exports"
