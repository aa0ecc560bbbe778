"""`manage.py rotate_keys`: re-encrypts all encrypted data with the first encryption key."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.core import sealed
from dashboard.people import mfa
from dashboard.people.keys import owners_of_unreadable_pairs


class Command(BaseCommand):
    help = (
        "Re-encrypt all encrypted data with the first of FIELD_ENCRYPTION_KEYS. Add the new key "
        "before the old one, restart all processes, run this command (the site can keep running), "
        "then remove the old key and restart again. Fails if something can't be decrypted, and "
        "lists the owners of such API keys."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        parts = {**sealed.rotate(), "secrets of two-step sign-in": mfa.rotate()}
        for name, report in parts.items():
            counts = f"{report.rotated} re-encrypted, {report.current} already current"
            lost = f", {len(report.unreadable)} can't be decrypted" if report.unreadable else ""
            self.stdout.write(f"{name}: {counts}{lost}.")
        closed = {name: len(report.unreadable) for name, report in parts.items()}
        if not any(closed.values()):
            return
        names = ", ".join(filter(closed.get, closed))
        words = f"{sum(closed.values())} ({names}) can't be decrypted with any of the keys."
        if people := owners_of_unreadable_pairs():
            words += f" These people need to enter their API keys again: {', '.join(people)}."
        raise CommandError(words)
