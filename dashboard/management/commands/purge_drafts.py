"""`manage.py purge_drafts`: delete drafts that are too old."""

from typing import Any

from django.core.management.base import BaseCommand

from dashboard.drafts.services import purge


class Command(BaseCommand):
    """Delete drafts older than DRAFT_RETENTION_DAYS, and what saved or discarded ones left."""

    help = (
        "Delete drafts that nobody has touched for DRAFT_RETENTION_DAYS, and those saved or "
        "discarded more than a day ago. Run it once a day."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Delete, and say how many."""
        self.stdout.write(f"{purge()} drafts deleted.")
