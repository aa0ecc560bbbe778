"""Members of workspaces and their invitations.

A person who connects keys without an invitation creates a workspace. Others are invited by an
administrator who is a member, and join by connecting keys or by a button (comparison.py has the
exceptions). A removed member gets a workspace of their own, so that they can go on working without
the shared settings.
"""

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from dashboard.core import security_log
from dashboard.people.models import KeyPair, Membership, User, Workspace
from dashboard.people.permissions import ADMINISTRATOR

MAX_NAMED = 2  # administrators who are named as those to ask


def create_workspace(name: str) -> Workspace:
    """Create a workspace; another one may have the same name."""
    return Workspace.objects.create(name=_normal(name))


def find_workspace(name: str) -> Workspace:
    """Return the workspace with this name or id. Raises DoesNotExist unless exactly one matches."""
    workspaces = list(Workspace.objects.filter(Q(name=name) | Q(pk=name)))
    if len(workspaces) == 1:
        return workspaces[0]
    ids = ", ".join(each.pk for each in workspaces)
    reason = (
        f"Several workspaces are called {name}; give one of the ids {ids}."
        if ids
        else "There is none."
    )
    raise Workspace.DoesNotExist(f"No workspace was chosen. {reason}")


def is_taken(name: str) -> bool:
    return Workspace.objects.filter(name__iexact=_normal(name)).exists()


def invite(user: User, workspace: Workspace, *, by: User | None) -> bool:
    """Invite a user in the name of an administrator, or of the operator (None). Return False for a
    member or someone already invited.
    """
    _, is_new = Membership.objects.get_or_create({"invited_by": by}, user=user, workspace=workspace)
    if is_new:
        _log(user, workspace, "invited")
    return is_new


@transaction.atomic
def join(user: User, workspace: Workspace) -> None:
    """Make the user a member of this workspace only; their key pair moves along."""
    rows = Membership.objects.filter(user=user)
    rows.filter(joined_at__isnull=False).exclude(workspace=workspace).delete()
    Membership.objects.get_or_create(user=user, workspace=workspace)
    if rows.filter(workspace=workspace, joined_at=None).update(joined_at=timezone.now()):
        _log(user, workspace, "member")
    KeyPair.objects.filter(user=user).update(workspace=workspace)


@transaction.atomic
def remove(row: Membership) -> None:
    """End an invitation, or a membership: the member and their key pair get a workspace of their
    own.
    """
    row.delete()
    _log(row.user, row.workspace, "removed")
    if row.joined_at is not None:
        join(row.user, create_workspace(own_name(row.user)))


def own_name(user: User) -> str:
    return f"Keys of {user.display_name}"


def of_workspace(workspace: Workspace) -> QuerySet[Membership]:
    memberships = Membership.objects.filter(workspace=workspace)
    return memberships.select_related("user", "invited_by").order_by("pk")


def of_user(user: User) -> Membership | None:
    memberships = Membership.objects.filter(user=user, joined_at__isnull=False)
    return memberships.select_related("workspace").first()


def invitations(user: User) -> list[Workspace]:
    """Return the workspaces of the user's invitations, the last one first."""
    rows = Membership.objects.filter(user=user, joined_at=None).select_related("workspace")
    return [row.workspace for row in rows.order_by("-invited_at")]


def only_workspace() -> Workspace | None:
    workspaces = list(Workspace.objects.all()[:2])
    return workspaces[0] if len(workspaces) == 1 else None


def administrators(workspace: Workspace) -> QuerySet[User]:
    """Return the active administrators who are members, and all active superusers, if they have an
    email address.
    """
    rows = Membership.objects.filter(workspace=workspace, joined_at__isnull=False)
    theirs = Q(role=ADMINISTRATOR, pk__in=rows.values("user"))
    people = User.objects.filter(theirs | Q(is_superuser=True), is_active=True)
    return people.exclude(email="")


def ask_administrators(workspace: str) -> str:
    """Return a sentence that names administrators who can name the entries of the workspace's
    lists.
    """
    people = User.objects.filter(role=ADMINISTRATOR, is_active=True, key_pair__workspace=workspace)
    names = [person.display_name for person in people.order_by("pk")[:MAX_NAMED]]
    return f"Ask {' or '.join(names) or 'an administrator'} to name them."


def _normal(name: str) -> str:
    return " ".join(name.split())[:100]


def _log(user: User, workspace: Workspace, state: str) -> None:
    security_log.record_event("membership", person=user.pk, workspace=workspace.pk, state=state)
