"""`manage.py load_lists`: fills the reference lists of a workspace from a JSON file."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from dashboard.office.list_import import load_reference_lists
from dashboard.people import members
from dashboard.people.models import Workspace
from dashboard.standin.reference_data import OFFSETS, reference_data


class Command(BaseCommand):
    """Adds and changes the entries that the file names; removes none."""

    help = (
        "Add entries to the lists of a workspace, or change them. The file contains lists by their "
        "names in URLs, with the columns of their CSV files, for example "
        '{"taxes": [{"id": 61, "name": "VAT", "rate": 20}]}.'
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("workspace", help="name or ID of the workspace")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--file", help="JSON file, or - for stdin")
        source.add_argument(
            "--standin", choices=list(OFFSETS), help="use the lists of the stand-in"
        )

    def handle(
        self, *, workspace: str, file: str | None, standin: str | None, **options: Any
    ) -> None:
        """Fill the lists. Raises CommandError, and changes nothing, if an entry is invalid."""
        data = reference_data(standin) if standin else _read(file or "-")
        try:
            target = members.find_workspace(workspace)
        except Workspace.DoesNotExist as error:
            raise CommandError(str(error)) from None
        try:
            ignored = load_reference_lists(target.pk, data)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            words = f"a row lacks {error}" if isinstance(error, KeyError) else str(error)
            raise CommandError(f"Unknown lists: {words}. See --help.") from None
        self.stdout.write(f"The lists of {target} were updated.")
        if ignored:
            self.stdout.write(f"Skipped, unknown list or column: {'; '.join(ignored)}")


def _read(file: str) -> Any:
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        return json.loads(text)
    except OSError as error:
        raise CommandError(f"{file} can't be read: {error.strerror}.") from None
    except ValueError as error:
        raise CommandError(f"{file} is not valid JSON: {error}. See --help.") from None
