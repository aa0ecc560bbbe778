"""Key pairs for tests, in workspaces whose id is their name."""

from dashboard.accounts.models import User
from dashboard.credentials import services
from dashboard.credentials.models import KeyPair, Workspace


def of_name(name: str) -> Workspace:
    """The workspace with this id, which is made if need be."""
    return Workspace.objects.get_or_create(pk=name, defaults={"name": name})[0]


def connect(user: User, *, access: str, secret: str, workspace: str) -> KeyPair:
    """Connect keys as a member of the workspace with this id; no keys are compared."""
    return services.connect(user, access=access, secret=secret, workspace=of_name(workspace))
