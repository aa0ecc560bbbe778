"""The outbox room."""

from django.apps import AppConfig


class OutboxConfig(AppConfig):
    """One-time submissions and their outcome."""

    name = "dashboard.outbox"
