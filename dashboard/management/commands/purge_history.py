"""`manage.py purge_history`: delete history, and what was sent, that is too old."""

from typing import Any

from django.core.management.base import BaseCommand

from dashboard.audit import services as audit
from dashboard.outbox import services as outbox
from dashboard.records.writes import audit_entries


class Command(BaseCommand):
    """Delete what is older than AUDIT_RETENTION_DAYS."""

    help = (
        "Delete history entries and outbox rows older than AUDIT_RETENTION_DAYS, except unresolved "
        "writes. Add history entries that could not be written in time, and empty the bodies of "
        "writes resolved a day ago. Run it once a day."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Delete, and say how many."""
        audit_entries.add_missing()
        entries, writes = audit.purge(), outbox.purge()
        self.stdout.write(f"Deleted {entries} history entries and {writes} outbox rows.")
