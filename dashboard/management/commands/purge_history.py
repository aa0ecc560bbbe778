"""`manage.py purge_history`: delete history, and what was sent, that is too old."""

from typing import Any

from django.core.management.base import BaseCommand

from dashboard.audit import services as audit
from dashboard.outbox import services as outbox


class Command(BaseCommand):
    """Delete what is older than AUDIT_RETENTION_DAYS."""

    help = (
        "Delete lines of the history older than AUDIT_RETENTION_DAYS, and what was sent before "
        "then, but for what is still not sure. Run it once a day."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Delete, and say how many."""
        lines, sent = audit.purge(), outbox.purge()
        self.stdout.write(f"{lines} lines of the history and {sent} of what was sent deleted.")
