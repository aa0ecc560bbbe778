"""`manage.py standin`: runs the stand-in of the API with the options of its own command."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from django.core.management.base import BaseCommand

from dashboard.standin.command import add_arguments, run


class Command(BaseCommand):
    help = "Run a stand-in for the External Business API until Ctrl+C"
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(run(Namespace(**options)))
