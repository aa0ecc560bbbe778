"""`manage.py restore`: replaces the database with a backup."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.administration import backups
from dashboard.people.keys import owners_of_unreadable_pairs

NOT_RESTORED = (
    "Nothing was changed. The file must be a backup made with `manage.py backup` from the same "
    "type of database, PostgreSQL or SQLite."
)
AS_IN_THE_COPY = (
    "Passwords, passkeys, authenticator apps, roles and API keys are those of the backup. People "
    "who have changed or lost one since need to do so again."
)
MAX_NAMED = 5  # people in the message about keys that cannot be opened


class Command(BaseCommand):
    help = (
        "Replace the database with a backup made with `backup`. Stop the site and its workers "
        "first, and set the FIELD_ENCRYPTION_KEYS used for the backup. Everyone is signed out, and "
        "password links expire. Writes that were in progress become Not sure. Jobs are paused, and "
        "deletions held."
    )
    requires_system_checks: list[str] = []  # they read the database, which may be lost

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the backup file")
        parser.add_argument(
            "--replace", action="store_true", help="confirm that the current data is overwritten"
        )

    def handle(self, *, file: Path, replace: bool, **options: Any) -> None:
        if not replace:
            raise CommandError("This overwrites the current database. Add --replace to continue.")
        try:
            counts = backups.restore(file)
        except backups.BackupFailed as why:
            raise CommandError(f"{str(why).rstrip('.')}. {NOT_RESTORED}") from None
        for name, count in counts.items():
            self.stdout.write(f"{name}: {count}")
        if lost := owners_of_unreadable_pairs():
            raise CommandError(
                f"Restored, but the API keys of {_names(lost)} can't be decrypted. Set the "
                "FIELD_ENCRYPTION_KEYS used for the backup, or ask them to enter their keys again."
            )
        self.stdout.write(AS_IN_THE_COPY)
        self.stdout.write("Restored. Run `manage.py tidy --daily`, then start the site.")


def _names(people: list[str]) -> str:
    more = len(people) - MAX_NAMED
    return ", ".join(people[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
