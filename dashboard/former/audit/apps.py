"""The table of the history of earlier releases."""

from django.apps import AppConfig


class FormerAuditConfig(AppConfig):
    """Keeps the migrations of the tables under their names."""

    name = "dashboard.former.audit"
    label = "audit"
