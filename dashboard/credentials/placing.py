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
from dashboard.gateway import Busy, Gateway, GatewayError, Unavailable

EVERY = timedelta(hours=24)  # between two comparisons of a stored pair
AGAIN = timedelta(minutes=10)  # after one that the service did not answer

NO_ANSWER = (Unavailable, Busy)
"""The errors after which nobody can tell what keys read; after any other, they prove nothing."""

State = members.State


class Choice(NamedTuple):
    """A workspace that a user may go to. by_word: as in Place. differs: the keys read other
    contacts than the members' keys.
    """

    workspace: Workspace
    by_word: bool
    differs: bool = False


class Place(NamedTuple):
    """Where a key pair goes: a workspace, or None to begin one.

    by_word: an administrator vouches for the user. marks: what the keys read, if the workspace is
    to be known by it.
    """

    workspace: Workspace | None
    by_word: bool = False
    marks: Sequence[Mark] = ()


def place_of(user: User, gateway: Gateway) -> Place:
    """Where keys that a user connects go. Raises Unavailable or Busy.

    An invitation counts for keys that prove nothing. Whose keys read other contacts goes there by a
    button on the page of their keys.
    """
    marks, same = _read(user, gateway)
    own = members.of_user(user)
    if same:
        stays = own and own.workspace in same and not members.is_alone(user, own.workspace)
        return Place(own.workspace if own and stays else same[0], marks=marks)
    for workspace in members.invitations(user):
        if _compare(gateway, marks, workspace) is not Verdict.OTHER:
            return Place(workspace, by_word=True)
    if own is not None and _may_stay(user, own.workspace, gateway, marks):
        return Place(own.workspace, own.by_word)
    return Place(None, marks=marks)


def others_for(pair: KeyPair, gateway: Gateway) -> list[Choice]:
    """The other workspaces that the owner of a pair may go to: those that the keys prove, and those
    that have invited the owner. Raises Unavailable or Busy.
    """
    marks, same = _read(pair.user, gateway)
    found = [Choice(one, by_word=False) for one in same]
    for one in members.invitations(pair.user):
        if one not in same:
            differs = _compare(gateway, marks, one) is Verdict.OTHER
            found.append(Choice(one, by_word=True, differs=differs))
    return [choice for choice in found if choice.workspace.pk != pair.workspace_id]


def is_back_at_once(user: User, workspace: Workspace) -> bool:
    """Whether an administrator's word alone brings back somebody who was put out: the keys are
    those that were put out, and do not clearly read other contacts. Makes calls.
    """
    pair, row = services.pair_of(user), members.row_of(user, workspace)
    if pair is None or row is None or not members.is_as_put_out(pair, row):
        return False
    try:
        gateway = services.gateway(services.open_pair(pair))
        verdict = proof.compare(gateway, proof.read_marks(gateway), workspace)
    except GatewayError:
        verdict = Verdict.UNKNOWN
    if row.state == State.UNMATCHED:  # they read other contacts when they were compared last
        return verdict is Verdict.SAME
    return verdict is not Verdict.OTHER


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
    if not workspace.known_contacts.exists() or workspace in proof.like_small(marks):
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
    """What the keys read, and the workspaces that it proves and nobody removed the user from.
    Raises Unavailable or Busy; both are empty where the service answers with another error.
    """
    try:
        marks = proof.read_marks(gateway)
        unknown = Workspace.objects.filter(known_contacts=None, key_pairs__isnull=False)
        latest = unknown.distinct().order_by("-created_at")[: proof.MOST_WORKSPACES]
        for workspace in (*latest, *proof.like_small(marks)):
            _learn(workspace)
        same = proof.proven(gateway, marks)
    except NO_ANSWER:
        raise
    except GatewayError:
        return [], []
    barred = members.removed_from(user)
    return marks, [one for one in same if one not in barred]


def _compare(gateway: Gateway, marks: Sequence[Mark], workspace: Workspace) -> Verdict:
    """As proof.compare; an answer that is an error tells nothing. Raises Unavailable or Busy."""
    try:
        return proof.compare(gateway, marks, workspace)
    except NO_ANSWER:
        raise
    except GatewayError:
        return Verdict.UNKNOWN


def _may_stay(user: User, workspace: Workspace, gateway: Gateway, marks: Sequence[Mark]) -> bool:
    """Whether new keys stay where the old ones were: nobody else is there, and nothing tells that
    they belong elsewhere, as in a workspace without contacts. Raises Unavailable or Busy.
    """
    if not members.is_alone(user, workspace):
        return False
    return _compare(gateway, marks, workspace) is not Verdict.OTHER


def _learn(workspace: Workspace) -> None:
    """Read the contacts of a workspace of which few or none are known, with the keys of the member
    who joined first and whose keys the service accepts: these keys say which workspace it is.
    """
    for pair in members.pairs_in_order(workspace):
        try:
            marks = proof.read_marks(services.gateway(services.open_pair(pair)))
        except GatewayError:
            continue
        proof.forget_others(workspace, marks)
        proof.remember(workspace, marks)
        return
