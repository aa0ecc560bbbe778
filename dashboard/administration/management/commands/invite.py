"""`manage.py invite`: invites people by their addresses, as the page *Invite people* does."""

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

from dashboard.administration import notices
from dashboard.administration.invitations import InvitationsForm, invite_all, link_for
from dashboard.people.permissions import ROLES


class Command(BaseCommand):
    help = "Create accounts and email each person a sign-in link."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--file", required=True, help="text file with one address per line, or - for stdin"
        )
        parser.add_argument(
            "--role", choices=list(ROLES), required=True, help="role of all accounts"
        )
        parser.add_argument(
            "--print-link", action="store_true", help="print the links instead of emailing them"
        )

    def handle(self, *, file: str, role: str, print_link: bool, **options: Any) -> None:
        request = _request_of_operator()
        form = InvitationsForm({"addresses": _read(file), "role": role}, acting=None)
        with request_context(request):  # allauth's emails ask for it
            if not (form.is_valid() and invite_all(request, form, by_mail=not print_link)):
                errors = [str(words) for field in form.errors.values() for words in field]
                raise CommandError("\n".join(["Nobody was invited.", *errors]))
            for account in form.accounts:
                person = account.instance
                link = f" Link: {link_for(request, person)}" if print_link else ""
                self.stdout.write(f"{person.email} was invited as {role}.{link}")


def _read(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} can't be read: {error}") from None


def _request_of_operator() -> HttpRequest:
    """Return a request for the links in emails. Raises CommandError if SITE_URL is unusable."""
    request = HttpRequest()
    request.META["HTTP_HOST"] = urlsplit(settings.SITE_URL).netloc
    request.user = notices.Operator()
    if not request.META["HTTP_HOST"]:
        raise CommandError("Set SITE_URL to the address of the site. Links in emails need it.")
    try:
        request.get_host()
    except DisallowedHost:
        raise CommandError("Add the host of SITE_URL to ALLOWED_HOSTS.") from None
    return request
