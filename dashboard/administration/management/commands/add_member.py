"""`manage.py add_member`: makes somebody a member of a workspace, as the operator decides."""

from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError

from dashboard.administration import notices
from dashboard.people import members
from dashboard.people.models import User, Workspace


class Command(BaseCommand):
    """Moves the person and their keys, where no administrator of the workspace can invite them."""

    help = "Make somebody a member of a workspace; their API keys are not compared."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="whom to add")
        parser.add_argument("workspace", help="its name as people see it, or its id")

    def handle(self, *, username: str, workspace: str, **options: Any) -> None:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"Nobody is called {username}.")
        try:
            target = members.find_workspace(workspace)
        except Workspace.DoesNotExist as error:
            raise CommandError(str(error)) from None
        members.join(user, target)
        notices.notify_of_workspace(user, target, "member", by="The operator")
        self.stdout.write(f"{username} is a member of {target} now.")
