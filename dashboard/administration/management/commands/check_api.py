"""`manage.py check_api`: reads one row of every area of the service and prints the results."""

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.gateway import Keys
from dashboard.people.keys import KeysUnreadable, keys_for
from dashboard.people.models import User
from dashboard.people.probe import NOT_IN_PLAN, WORKS, Finding, probe


class Command(BaseCommand):
    help = (
        "Read one list in each area of the API with a person's keys (--keys-of), or with the "
        "environment variables API_ACCESS_KEY and API_SECRET_KEY, and print the results. Fails if "
        "an area is rejected or can't be read."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--keys-of", metavar="USER", help="username of someone with connected keys"
        )

    def handle(self, *args: Any, keys_of: str | None, **options: Any) -> None:
        findings = probe(_keys_of(keys_of) if keys_of else _keys_of_environment())
        for finding in findings:
            self.stdout.write(_line(finding))
        failed = [f.area for f in findings if f.verdict not in (WORKS, NOT_IN_PLAN)]
        if failed:
            raise CommandError(f"Not working: {', '.join(failed)}.")


def _line(finding: Finding) -> str:
    return f"{finding.area:<10}  {finding.verdict:<16}  {finding.note}".rstrip()


def _keys_of(username: str) -> Keys:
    try:
        keys = keys_for(User.objects.get(username=username))
    except User.DoesNotExist:
        raise CommandError(f"No account has the username {username}.") from None
    except KeysUnreadable:
        raise CommandError(f"The stored keys of {username} can't be decrypted.") from None
    if keys is None:
        raise CommandError(f"{username} has not connected any keys.")
    return keys


def _keys_of_environment() -> Keys:
    try:
        return Keys(
            access=os.environ.get("API_ACCESS_KEY", ""), secret=os.environ.get("API_SECRET_KEY", "")
        )
    except ValueError:
        raise CommandError(
            "Add --keys-of USER, or set API_ACCESS_KEY and API_SECRET_KEY."
        ) from None
