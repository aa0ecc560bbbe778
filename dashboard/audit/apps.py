"""The audit room."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """Who did what to which record."""

    name = "dashboard.audit"
