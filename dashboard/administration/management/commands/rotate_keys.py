"""`manage.py rotate_keys`: re-encrypts all stored data under the first encryption key."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.core import sealed
from dashboard.people import mfa
from dashboard.people.keys import owners_of_unreadable_pairs


class Command(BaseCommand):
    help = (
        "Re-encrypt API key pairs, the secrets of two-step sign-in, drafts, the "
        "ledger, jobs, the history, exports, imports, saved views and the "
        "names of opened and repeating records under the first of FIELD_ENCRYPTION_KEYS. "
        "Put the new key in front of the old one, restart every process, run this (the site may "
        "run meanwhile), then take the old key out and restart. Fails if something cannot be "
        "opened, naming whose key pairs."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        parts = {**sealed.rotate(), "second steps of sign-in": mfa.rotate()}
        for name, report in parts.items():
            counts = f"{report.rotated} re-encrypted, {report.current} were current already"
            lost = f", {len(report.unreadable)} cannot be opened" if report.unreadable else ""
            self.stdout.write(f"{name}: {counts}{lost}.")
        closed = {name: len(report.unreadable) for name, report in parts.items()}
        if not any(closed.values()):
            return
        names = ", ".join(filter(closed.get, closed))
        words = f"{sum(closed.values())} ({names}) cannot be opened with any of the keys."
        if people := owners_of_unreadable_pairs():
            words += f" These people have to enter their API keys again: {', '.join(people)}."
        raise CommandError(words)
