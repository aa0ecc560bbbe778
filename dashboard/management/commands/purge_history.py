"""`manage.py purge_history`: deletes old history entries and outbox rows."""

from typing import Any

from django.core.management.base import BaseCommand

from dashboard.audit import services as audit
from dashboard.outbox import services as outbox
from dashboard.records.writes import audit_entries


class Command(BaseCommand):
    """Deletes entries and rows older than AUDIT_RETENTION_DAYS."""

    help = (
        "Delete history entries and outbox rows older than AUDIT_RETENTION_DAYS, except unresolved "
        "writes. Add history entries that could not be written in time, and empty the bodies of "
        "writes resolved a day ago. Run it once a day."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Add missing entries, delete old ones, and print the counts."""
        audit_entries.add_missing()
        entries, writes = audit.purge(), outbox.purge()
        self.stdout.write(f"Deleted {entries} history entries and {writes} outbox rows.")
