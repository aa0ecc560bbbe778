"""`manage.py backup`: copies the database into a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.administration import backups


class Command(BaseCommand):
    help = (
        "Copy the database into a new file while the site runs: SQLite by VACUUM INTO, PostgreSQL "
        "by pg_dump. Keep FIELD_ENCRYPTION_KEYS and SECRET_KEY somewhere else: without the first "
        "nothing in the copy can be opened."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the new file")

    def handle(self, *, file: Path, **options: Any) -> None:
        try:
            backups.backup(file)
        except backups.BackupFailed as why:
            raise CommandError(str(why)) from None
        self.stdout.write(f"{file}: {file.stat().st_size:,} bytes.")
