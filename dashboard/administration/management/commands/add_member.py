"""`manage.py add_member`: adds someone to a workspace, as the operator decides."""

from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError

from dashboard.administration import notices
from dashboard.people import members
from dashboard.people.models import User, Workspace


class Command(BaseCommand):
    """Moves the person and their keys if no administrator of the workspace can invite them."""

    help = "Add someone to a workspace without comparing their API keys."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="username of the person")
        parser.add_argument("workspace", help="name or ID of the workspace")

    def handle(self, *, username: str, workspace: str, **options: Any) -> None:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"No account has the username {username}.")
        try:
            target = members.find_workspace(workspace)
        except Workspace.DoesNotExist as error:
            raise CommandError(str(error)) from None
        members.join(user, target)
        notices.notify_of_workspace(user, target, "member", by="The operator")
        self.stdout.write(f"{username} is now a member of {target}.")
