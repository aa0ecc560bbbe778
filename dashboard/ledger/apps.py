"""The ledger room."""

from django.apps import AppConfig


class LedgerConfig(AppConfig):
    """Writes to the API, their outcome, and locks on records."""

    name = "dashboard.ledger"
