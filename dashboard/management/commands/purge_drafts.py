"""`manage.py purge_drafts`: delete drafts, held deletions and copies that are too old."""

from typing import Any

from django.core.management.base import BaseCommand

from dashboard.drafts import pending_deletions, services


class Command(BaseCommand):
    """Delete drafts older than DRAFT_RETENTION_DAYS, and what saved or discarded ones left."""

    help = (
        "Delete drafts that nobody has touched for DRAFT_RETENTION_DAYS, and those saved or "
        "discarded more than a day ago; likewise deletions that were held and never sent, and "
        "copies of deleted records after a week. Run it once a day."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Delete, and say how many."""
        self.stdout.write(f"{services.purge()} drafts deleted.")
        self.stdout.write(f"{pending_deletions.purge()} held deletions and copies deleted.")
