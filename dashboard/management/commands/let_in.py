"""`manage.py let_in`: makes somebody a member of a workspace that has no administrator left."""

from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError

from dashboard.accounts.models import User
from dashboard.credentials import members, workspace_matching
from dashboard.management.commands.load_lists import workspace_called
from dashboard.staff import notices


class Command(BaseCommand):
    """The operator vouches for the person, as an administrator of the workspace would do. Keys that
    the person has connected since they were put out stay where they are until the person presses.
    """

    help = "Let somebody in who was put out of a workspace, or invite somebody to it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the person and the workspace."""
        parser.add_argument("username", help="whom to let in")
        parser.add_argument("workspace", help="its name as people see it, or its id")

    def handle(self, *, username: str, workspace: str, **options: Any) -> None:
        """Raises CommandError if there is no such person or workspace."""
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"Nobody is called {username}.")
        target = workspace_called(workspace)
        at_once = workspace_matching.is_back_at_once(user, target)
        state = members.let_in(user, target, by=None, at_once=at_once)
        notices.tell_of_workspace(user, target, state, by="The operator")
        back = f"{username} is back in {target}."
        invited = f"{username} may join {target} by a button on the page Connection."
        self.stdout.write(back if state == members.State.MEMBER else invited)
