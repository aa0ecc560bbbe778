"""`manage.py tidy`: deletes expired data."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from dashboard.administration.pruning import Incomplete, plan, prune


class Command(BaseCommand):
    help = (
        "Delete expired data: drafts, pending deletions, jobs and import files after 30 days "
        "without activity, copies of deleted records after a week, history and resolved writes "
        "after AUDIT_RETENTION_DAYS, the contents of resolved writes after a day, expired sessions "
        "and finished tasks. Add history entries that couldn't be written before. With --daily, "
        "let a worker do this once a day."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--daily", action="store_true", help="schedule a daily run by a worker instead"
        )

    def handle(self, *, daily: bool, **options: Any) -> None:
        if daily:
            state = "Scheduled" if plan(timezone.now()) else "Already scheduled"
            self.stdout.write(f"{state}: a worker runs this once a day.")
            return
        try:
            self._print(prune())
        except Incomplete as why:
            self._print(why.done)
            raise CommandError(str(why)) from None

    def _print(self, done: dict[str, int]) -> None:
        for name, count in done.items():
            self.stdout.write(f"{name}: {count}")
