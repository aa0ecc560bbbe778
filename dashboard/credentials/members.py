"""Who belongs to which workspace.

Whoever connects keys that belong to no known workspace begins one. Others join by proof (proof.py)
or by the word of an administrator who is a member. Whose key pair has a workspace is a member of
it; whoever is put out gets a workspace of their own, so that their work goes on without what the
others share. An administrator's word moves no keys but those that were put out: whoever has others
by then accepts it by a press of their own.
"""

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from dashboard.accounts.models import User
from dashboard.credentials.models import KeyPair, Membership, Workspace
from dashboard.monitoring import security

State = Membership.State
OUT = (State.UNMATCHED, State.REMOVED)


def begin(name: str) -> Workspace:
    """A new workspace without members, also where another has the same name."""
    return Workspace.objects.create(name=_normal(name))


def is_taken(name: str) -> bool:
    """Whether a workspace has this name, in any case."""
    return Workspace.objects.filter(name__iexact=_normal(name)).exists()


@transaction.atomic
def join(user: User, workspace: Workspace, *, by_word: bool = False) -> None:
    """Make the user a member, of this workspace alone; their key pair goes along. From now on it
    is not the pair of an earlier end of a membership.
    """
    rows = Membership.objects.filter(user=user)
    rows.filter(state=State.MEMBER).exclude(workspace=workspace).delete()
    rows.update(put_into=None)
    _set(user, workspace, State.MEMBER, by_word=by_word)
    KeyPair.objects.filter(user=user).update(workspace=workspace)


@transaction.atomic
def let_in(user: User, workspace: Workspace, *, by: User | None, at_once: bool = False) -> State:
    """Let a user join by the word of an administrator, or of the operator (None); the new state.

    They are invited, and join by connecting keys or by a button. at_once: who was put out is back
    without it (placing.is_back_at_once), unless their keys have been replaced or moved meanwhile.
    """
    row = row_of(user, workspace)
    pair = KeyPair.objects.select_for_update().filter(user=user).first()
    back = at_once and row is not None and pair is not None and is_as_put_out(pair, row)
    if back:
        join(user, workspace, by_word=True)
    state = State.MEMBER if back else State.INVITED
    _set(user, workspace, state, by_word=True, changed_by=by)
    return state


def is_as_put_out(pair: KeyPair, row: Membership) -> bool:
    """Whether a pair is the one with which its owner was put out, in the workspace that it got."""
    return row.state in OUT and row.put_into_id == pair.workspace_id


@transaction.atomic
def put_out(user: User, workspace: Workspace, state: State, *, by: User | None = None) -> None:
    """End a membership or an invitation: the key pair gets a workspace of its own."""
    own = None
    if KeyPair.objects.filter(user=user, workspace=workspace).exists():
        own = begin(f"Keys of {user.display_name}")
        join(user, own)
    _set(user, workspace, state, changed_by=by, put_into=own)


def row_of(user: User, workspace: Workspace) -> Membership | None:
    """What the user is or was in a workspace."""
    return Membership.objects.filter(user=user, workspace=workspace).first()


def of_workspace(workspace: Workspace) -> QuerySet[Membership]:
    """Everybody who is, was or may become a member, with the users."""
    memberships = Membership.objects.filter(workspace=workspace)
    return memberships.select_related("user", "changed_by").order_by("pk")


def of_user(user: User) -> Membership | None:
    """The membership that the user has, also without keys."""
    memberships = Membership.objects.filter(user=user, state=State.MEMBER)
    return memberships.select_related("workspace").first()


def invitations(user: User) -> list[Workspace]:
    """The workspaces that the user is invited to, the last invitation first."""
    return _with_state(user, State.INVITED)


def removed_from(user: User) -> list[Workspace]:
    """The workspaces that an administrator put the user out of: proof does not let them in."""
    return _with_state(user, State.REMOVED)


def _with_state(user: User, state: State) -> list[Workspace]:
    workspaces = Workspace.objects.filter(memberships__user=user, memberships__state=state)
    return list(workspaces.order_by("-memberships__changed_at"))


def pairs_in_order(workspace: Workspace) -> list[KeyPair]:
    """The pairs of the members that nobody has to vouch for, in the order of joining."""
    proper = Membership.objects.filter(workspace=workspace, state=State.MEMBER, by_word=False)
    users = list(proper.order_by("pk").values_list("user", flat=True))
    pairs = KeyPair.objects.select_related("user").filter(workspace=workspace, user__in=users)
    return sorted(pairs, key=lambda pair: users.index(pair.user_id))


def is_alone(user: User, workspace: Workspace) -> bool:
    """Whether nobody else has connected keys in the workspace."""
    return not KeyPair.objects.filter(workspace=workspace).exclude(user=user).exists()


def _normal(name: str) -> str:
    return " ".join(name.split())[:100]


def _set(user: User, workspace: Workspace, state: State, **fields: object) -> None:
    security.note("membership", person=user.pk, workspace=workspace.pk, state=state.value)
    values: dict[str, object] = {"state": state, "by_word": False, "put_into": None}
    values |= {"changed_at": timezone.now(), **fields}
    Membership.objects.update_or_create(user=user, workspace=workspace, defaults=values)
