"""`manage.py backup`: copies the database into a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.administration import backups


class Command(BaseCommand):
    help = (
        "Copy the database into a new file while the site runs: SQLite by VACUUM INTO, PostgreSQL "
        "by pg_dump. With --keep the file gets its name by the time, the page System status says "
        "when it was made, and older copies are deleted once it was read back. "
        "Keep FIELD_ENCRYPTION_KEYS and SECRET_KEY somewhere else: without the first "
        "nothing in the copy can be opened."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the new file; with --keep a directory")
        parser.add_argument(
            "--keep", type=int, metavar="N", help="keep the newest N copies in the directory"
        )

    def handle(self, *, file: Path, keep: int | None, **options: Any) -> None:
        if keep is not None and keep < 1:
            raise CommandError("--keep must be at least 1.")
        try:
            if keep:
                file = backups.backup_into(file, keep)
            else:
                backups.backup(file)
        except backups.BackupFailed as why:
            raise CommandError(str(why)) from None
        self.stdout.write(f"{file}: {file.stat().st_size:,} bytes.")
