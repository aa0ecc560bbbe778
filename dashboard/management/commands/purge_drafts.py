"""`manage.py purge_drafts`: deletes old drafts, copies of records, jobs, imports and tasks."""

from typing import Any

from django.core.management.base import BaseCommand

from dashboard.drafts import pending_deletions, services
from dashboard.imports import storage as imports
from dashboard.jobs import services as jobs
from dashboard.jobs import tasks


class Command(BaseCommand):
    """Deletes drafts older than DRAFT_RETENTION_DAYS and those saved or discarded a day ago."""

    help = (
        "Delete drafts unchanged for DRAFT_RETENTION_DAYS, and those saved or "
        "discarded more than a day ago; likewise pending deletions that were never sent, and "
        "copies of deleted records after a week, and jobs and files of imports that "
        "rested for DRAFT_RETENTION_DAYS, and tasks whose worker died. Run it once a day."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Delete, and print the counts."""
        self.stdout.write(f"{services.purge()} drafts deleted.")
        self.stdout.write(f"{pending_deletions.purge()} pending deletions and copies deleted.")
        self.stdout.write(f"{jobs.purge()} jobs deleted.")
        self.stdout.write(f"{tasks.purge()} tasks of dead workers deleted.")
        self.stdout.write(f"{imports.purge()} files of imports deleted.")
