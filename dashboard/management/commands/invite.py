"""`manage.py invite`: invites the people of a list, as the page *Invite several* does."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from allauth.core.context import request_context
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.management import BaseCommand, CommandError
from django.http import HttpRequest

from dashboard.accounts.models import User
from dashboard.accounts.roles import ROLES
from dashboard.catalogue import spreadsheets
from dashboard.catalogue.planned_table import WRONG
from dashboard.staff import notices
from dashboard.staff.invite_list import (
    INVITE,
    THERE,
    Changed,
    InvitePlan,
    carry_out,
    plan_of,
    state_in_words,
)
from dashboard.tables.errors import UnreadableTable


class Command(BaseCommand):
    """Invites all people of a list, or nobody where a line is wrong."""

    help = (
        "Make accounts for the people of a list and mail each a link for the sign-in. One person a "
        "line: name, email address, role; a first line with headings may name other columns, as in "
        "first name, last name, email, username, role. Whoever has an account already keeps it as "
        "it is. Where a line is wrong, nobody is invited and the exit code is 1."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the file, the role of lines without one, and the option --check."""
        parser.add_argument(
            "--file", required=True, help="a table as CSV, XLSX or ODS; - reads standard input"
        )
        parser.add_argument(
            "--role", choices=list(ROLES), default="", help="the role of lines that name none"
        )
        parser.add_argument(
            "--check", action="store_true", help="invite nobody, print what would happen"
        )

    def handle(self, *, file: str, role: str, check: bool, **options: Any) -> None:
        """Invite, and print a line for each. Raises CommandError."""
        request = _request_of_operator()
        try:
            text, _ = spreadsheets.decode(_read(file))
            plan = plan_of(text, acting=None, visible=User.objects.all(), default_role=role)
        except UnreadableTable as error:
            raise CommandError(f"{file} cannot be read: {error}") from None
        self._print_wrong(plan)
        if not check:
            try:
                with request_context(request):  # allauth's mails ask for it
                    carry_out(request, plan, acting=None)
            except Changed:
                raise CommandError("Accounts have just changed. Run this again.") from None
        self._print(plan, "would be invited" if check else "is invited")

    def _print_wrong(self, plan: InvitePlan) -> None:
        """Raises CommandError if a line is wrong."""
        for row in plan.of(WRONG):
            self.stderr.write(f"Line {row.line}: {' '.join(row.errors)}")
        if many := plan.counts[WRONG]:
            lines = "1 line is" if many == 1 else f"{many} lines are"
            raise CommandError(f"Nobody was invited, as {lines} wrong.")

    def _print(self, plan: InvitePlan, invited: str) -> None:
        for row in plan.of(THERE):
            if row.person:
                words = state_in_words(row.person)
                self.stdout.write(f"{row.values['email']} {words} already. Nothing changes.")
        for row in plan.of(INVITE):
            self.stdout.write(f"{row.values['email']} {invited} as {row.values['role']}.")


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from None


def _request_of_operator() -> HttpRequest:
    """What links in mails are made from. Raises CommandError where SITE_URL cannot be used."""
    request = HttpRequest()
    request.META["HTTP_HOST"] = urlsplit(settings.SITE_URL).netloc
    request.user = notices.Operator()
    if not request.META["HTTP_HOST"]:
        raise CommandError("Set SITE_URL to where people find the site: links in mails need it.")
    try:
        request.get_host()
    except DisallowedHost:
        raise CommandError("Add the host of SITE_URL to ALLOWED_HOSTS.") from None
    return request
