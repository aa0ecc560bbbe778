"""`manage.py backup`: backs up the database to a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.administration import backups


class Command(BaseCommand):
    help = (
        "Back up the database to a new file while the site is running. With --keep, name the file "
        "after the current time, show that time under System status, and delete older backups "
        "after verifying the new one. Store FIELD_ENCRYPTION_KEYS and SECRET_KEY separately: "
        "encrypted data in the backup can't be read without the first."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the new file, or with --keep a directory")
        parser.add_argument(
            "--keep", type=int, metavar="N", help="keep the newest N backups in the directory"
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
