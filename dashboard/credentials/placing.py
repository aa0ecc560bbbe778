"""Decides by a key pair's answers which workspace it joins, and whether it still belongs there."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Q
from django.utils import timezone

from dashboard.accounts.models import User
from dashboard.credentials import members, proof, services
from dashboard.credentials.models import KeyPair, Membership, Workspace
from dashboard.credentials.proof import Mark, Verdict
from dashboard.gateway import Gateway, GatewayError

EVERY = timedelta(hours=24)  # between two comparisons of a stored pair
AGAIN = timedelta(minutes=10)  # after one that the service did not answer

State = members.State
Choice = tuple[Workspace, bool]


class Place(NamedTuple):
    """Where a key pair goes: a workspace, or None to begin one.

    by_word: an administrator vouches for the user. marks: what the keys read, if the workspace is
    to be known by it.
    """

    workspace: Workspace | None
    by_word: bool = False
    marks: Sequence[Mark] = ()


def place_of(user: User, gateway: Gateway) -> Place:
    """Where keys that a user connects go."""
    marks, same = _read(user, gateway)
    own = members.of_user(user)
    if same:
        stays = own and own.workspace in same and not members.is_alone(user, own.workspace)
        return Place(own.workspace if own and stays else same[0], marks=marks)
    if invited := members.invitations(user):
        return Place(invited[0], by_word=True)
    if own is not None and _may_stay(user, own.workspace, gateway, marks):
        return Place(own.workspace, own.by_word)
    return Place(None, marks=marks)


def others_for(pair: KeyPair, gateway: Gateway) -> list[Choice]:
    """The other workspaces that the owner of a pair may go to, and whether that is by an
    administrator's word: those that the keys prove, and those that have invited the owner.
    """
    _, same = _read(pair.user, gateway)
    found = [(one, False) for one in same]
    found += [(one, True) for one in members.invitations(pair.user) if one not in same]
    return [choice for choice in found if choice[0].pk != pair.workspace_id]


def check_if_due(user: User) -> bool:
    """Compare the stored pair of a user with its workspace once a day; True if it was put out.

    The comparison is claimed first, so that of simultaneous requests one makes it.
    """
    pair, now = services.pair_of(user), timezone.now()
    if pair is None or (pair.checked_at and pair.checked_at > now - EVERY):
        return False
    stored = KeyPair.objects.filter(pk=pair.pk).filter(_due(now))
    if not stored.update(checked_at=now - EVERY + AGAIN):
        return False
    try:
        return check(pair, services.gateway(services.open_pair(pair)))
    except GatewayError:
        return False


def check(pair: KeyPair, gateway: Gateway) -> bool:
    """Compare a pair with its workspace and put it out if it does not match; True if it was.

    Who is alone there stays: nobody else's data is at stake. Raises GatewayError.
    """
    workspace, user = pair.workspace, pair.user
    marks = proof.read_marks(gateway)
    if not workspace.known_contacts.exists():
        _learn(workspace)
    verdict = proof.compare(gateway, marks, workspace)
    if verdict is Verdict.SAME:
        proof.remember(workspace, marks)
        Membership.objects.filter(user=user, workspace=workspace).update(by_word=False)
    vouched = Membership.objects.filter(user=user, workspace=workspace, by_word=True).exists()
    out = verdict is Verdict.OTHER and not vouched and not members.is_alone(user, workspace)
    if out:
        members.put_out(user, workspace, State.UNMATCHED)
    KeyPair.objects.filter(pk=pair.pk).update(checked_at=timezone.now())
    pair.refresh_from_db()
    return out


def _due(now: datetime) -> Q:
    return Q(checked_at=None) | Q(checked_at__lte=now - EVERY)


def _read(user: User, gateway: Gateway) -> tuple[Sequence[Mark], list[Workspace]]:
    """What the keys read, and the workspaces that it proves and nobody removed the user from; both
    empty where the service does not answer.
    """
    try:
        marks = proof.read_marks(gateway)
        unknown = Workspace.objects.filter(known_contacts=None, key_pairs__isnull=False)
        for workspace in unknown.distinct().order_by("-created_at")[: proof.MOST_WORKSPACES]:
            _learn(workspace)
        same = proof.proven(gateway, marks)
    except GatewayError:
        return [], []
    barred = members.removed_from(user)
    return marks, [one for one in same if one not in barred]


def _may_stay(user: User, workspace: Workspace, gateway: Gateway, marks: Sequence[Mark]) -> bool:
    """Whether new keys stay where the old ones were: nobody else is there, and nothing tells that
    they belong elsewhere, as in a workspace without contacts.
    """
    if not members.is_alone(user, workspace):
        return False
    try:
        return proof.compare(gateway, marks, workspace) is not Verdict.OTHER
    except GatewayError:
        return True


def _learn(workspace: Workspace) -> None:
    """Read the contacts of a workspace of which none is known, with the keys of the member who
    joined first and whose keys the service accepts: these keys say which workspace it is.
    """
    for pair in members.pairs_in_order(workspace):
        try:
            marks = proof.read_marks(services.gateway(services.open_pair(pair)))
        except GatewayError:
            continue
        proof.remember(workspace, marks)
        return
