"""Who belongs to which workspace.

Whoever connects keys without an invitation begins a workspace. Others are invited by an
administrator who is a member, and join by connecting keys or by a button (comparison.py says when
not). Whoever is removed gets a workspace of their own, so that their work goes on without what the
others share.
"""

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from dashboard.core import security_log
from dashboard.people.models import KeyPair, Membership, User, Workspace
from dashboard.people.permissions import ADMINISTRATOR

MAX_NAMED = 2  # administrators who are named as those to ask


def create_workspace(name: str) -> Workspace:
    """A new workspace without members, also where another has the same name."""
    return Workspace.objects.create(name=_normal(name))


def is_taken(name: str) -> bool:
    return Workspace.objects.filter(name__iexact=_normal(name)).exists()


def invite(user: User, workspace: Workspace, *, by: User | None) -> bool:
    """Invite a user by the word of an administrator, or of the operator (None); False for somebody
    who is a member or invited already.
    """
    _, is_new = Membership.objects.get_or_create({"invited_by": by}, user=user, workspace=workspace)
    if is_new:
        _log(user, workspace, "invited")
    return is_new


@transaction.atomic
def join(user: User, workspace: Workspace) -> None:
    """Make the user a member, of this workspace alone; their key pair goes along."""
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
    """The membership that the user has, also without keys."""
    memberships = Membership.objects.filter(user=user, joined_at__isnull=False)
    return memberships.select_related("workspace").first()


def invitations(user: User) -> list[Workspace]:
    """The workspaces that the user is invited to, the last invitation first."""
    rows = Membership.objects.filter(user=user, joined_at=None).select_related("workspace")
    return [row.workspace for row in rows.order_by("-invited_at")]


def only_workspace() -> Workspace | None:
    workspaces = list(Workspace.objects.all()[:2])
    return workspaces[0] if len(workspaces) == 1 else None


def administrators(workspace: Workspace) -> QuerySet[User]:
    """The active administrators who are members, and all active superusers, as far as they can be
    mailed.
    """
    rows = Membership.objects.filter(workspace=workspace, joined_at__isnull=False)
    theirs = Q(role=ADMINISTRATOR, pk__in=rows.values("user"))
    people = User.objects.filter(theirs | Q(is_superuser=True), is_active=True)
    return people.exclude(email="")


def ask_administrators(workspace: str) -> str:
    """A sentence with administrators of the workspace, who can name the entries of its lists."""
    people = User.objects.filter(role=ADMINISTRATOR, is_active=True, key_pair__workspace=workspace)
    names = [person.display_name for person in people.order_by("pk")[:MAX_NAMED]]
    return f"Ask {' or '.join(names) or 'an administrator'} to name them."


def _normal(name: str) -> str:
    return " ".join(name.split())[:100]


def _log(user: User, workspace: Workspace, state: str) -> None:
    security_log.record_event("membership", person=user.pk, workspace=workspace.pk, state=state)
