"""`manage.py rotate_keys`: re-encrypts all stored data under the first encryption key."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.accounts.second_step import rotate as rotate_second_steps
from dashboard.audit.services import rotate as rotate_history
from dashboard.credentials.rotation import rotate as rotate_pairs
from dashboard.drafts.pending_deletions import rotate as rotate_deletions
from dashboard.drafts.rotation import rotate as rotate_drafts
from dashboard.exports.storage import rotate as rotate_exports
from dashboard.imports.storage import rotate as rotate_imports
from dashboard.jobs.rotation import rotate as rotate_jobs
from dashboard.outbox.rotation import rotate as rotate_outbox
from dashboard.preferences.recents import rotate as rotate_recents
from dashboard.preferences.saved_views import rotate as rotate_views
from dashboard.scans.storage import rotate as rotate_scans


class Command(BaseCommand):
    """Re-encrypts stored data after a new key was put first in FIELD_ENCRYPTION_KEYS, and after an
    upgrade from release 0.1, whose data is not bound to its row.
    """

    help = (
        "Re-encrypt API key pairs, the secrets of two-step sign-in, drafts, copies of "
        "deleted records, the outbox, jobs, the history, exports, imports, found records, saved "
        "views and the names of opened records under the first of FIELD_ENCRYPTION_KEYS. "
        "Put the new key in front of the old one, restart every process, run this (the site may "
        "run meanwhile), then take the old key out and restart. Fails if something cannot be "
        "opened, naming whose key pairs."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Re-encrypt and print the counts. Raises CommandError if some data cannot be decrypted."""
        parts = {"API key pairs": rotate_pairs()}
        parts |= {"second steps of sign-in": rotate_second_steps()}
        parts |= {"drafts": rotate_drafts(), "parts of the outbox": rotate_outbox()}
        parts |= {"copies of deleted records": rotate_deletions()}
        parts |= {"lines of the history": rotate_history(), "opened records": rotate_recents()}
        parts |= {"saved views": rotate_views(), "parts of jobs": rotate_jobs()}
        parts |= {"pieces of exports": rotate_exports(), "imports": rotate_imports()}
        parts |= {"found records": rotate_scans()}
        for name, report in parts.items():
            counts = f"{report.rotated} re-encrypted, {report.current} were current already"
            lost = f", {_unreadable(report)} cannot be opened" if report.unreadable else ""
            self.stdout.write(f"{name}: {counts}{lost}.")
        closed = [name for name, report in parts.items() if report.unreadable]
        if not closed:
            return
        pairs, count = parts["API key pairs"].unreadable, sum(map(_unreadable, parts.values()))
        words = f"{count} ({', '.join(closed)}) cannot be opened with any of the keys."
        if pairs:
            words += f" These people have to enter their API keys again: {', '.join(pairs)}."
        raise CommandError(words)


def _unreadable(report: Any) -> int:
    return len(report.unreadable)
