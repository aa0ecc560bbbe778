"""`manage.py rotate_keys`: re-encrypt every stored key pair under the first encryption key."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.credentials.rotation import rotate


class Command(BaseCommand):
    """Re-encrypt the stored API keys after a new key was put first in FIELD_ENCRYPTION_KEYS."""

    help = (
        "Re-encrypt every stored API key pair under the first of FIELD_ENCRYPTION_KEYS. Put the "
        "new key in front of the old one, restart every process, run this (the site may run "
        "meanwhile), then take the old key out and restart. Fails if pairs cannot be opened, "
        "naming whose."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Rotate, print the counts, and fail if pairs remain that no key opens."""
        report = rotate()
        self.stdout.write(f"{report.rotated} re-encrypted, {report.current} were current already.")
        if report.unreadable:
            raise CommandError(
                f"{len(report.unreadable)} cannot be opened with any of the keys: "
                f"{', '.join(report.unreadable)}. They have to enter their API keys again."
            )
