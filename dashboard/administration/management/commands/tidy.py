"""`manage.py tidy`: deletes what is older than its time."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from dashboard.administration.pruning import Incomplete, plan, prune


class Command(BaseCommand):
    help = (
        "Delete drafts, waiting deletions, jobs and files of imports that rested for "
        "30 days, the history and resolved writes after AUDIT_RETENTION_DAYS, ended "
        "sessions and finished tasks. Add history entries that could not be written in time, and "
        "empty the bodies of writes resolved a day ago, and copies of deleted records after a "
        "week. With --daily a worker does it once a day."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--daily", action="store_true", help="delete nothing now, let the worker do it daily"
        )

    def handle(self, *, daily: bool, **options: Any) -> None:
        if daily:
            state = "Planned" if plan(timezone.now()) else "It was planned already"
            self.stdout.write(f"{state}: a worker does it once a day.")
            return
        try:
            self._print(prune())
        except Incomplete as why:
            self._print(why.done)
            raise CommandError(str(why)) from None

    def _print(self, done: dict[str, int]) -> None:
        for name, count in done.items():
            self.stdout.write(f"{name}: {count}")
