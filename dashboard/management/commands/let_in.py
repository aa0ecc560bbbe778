"""`manage.py let_in`: makes somebody a member of a workspace that has no administrator left."""

from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError

from dashboard.accounts.models import User
from dashboard.credentials import members
from dashboard.management.commands.load_lists import workspace_called


class Command(BaseCommand):
    """The operator vouches for the person, as an administrator of the workspace would do."""

    help = "Let somebody in who was put out of a workspace, or invite somebody to it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the person and the workspace."""
        parser.add_argument("username")
        parser.add_argument("workspace", help="its name as people see it, or its id")

    def handle(self, *, username: str, workspace: str, **options: Any) -> None:
        """Raises CommandError if there is no such person or workspace."""
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"Nobody is called {username}.")
        found = workspace_called(workspace)
        members.invite(user, found, by=None)
        self.stdout.write(f"{username} may work in {found}: see the page Your API keys.")
