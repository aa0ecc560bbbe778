"""The table of writes of earlier releases."""

from django.apps import AppConfig


class FormerOutboxConfig(AppConfig):
    """Keeps the migrations of the tables under their names."""

    name = "dashboard.former.outbox"
    label = "outbox"
