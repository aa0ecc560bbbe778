"""Decides by a key pair's answers which workspace it joins, and whether it still belongs there."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from enum import Enum
from typing import NamedTuple

from django.db.models import Count, Q
from django.utils import timezone

from dashboard.accounts.models import User
from dashboard.credentials import members, services
from dashboard.credentials.models import KeyPair, KnownContact, Membership, Workspace
from dashboard.gateway import CONTACTS, Busy, Gateway, GatewayError, Missing, Record, Unavailable

ENOUGH = 3  # equal marks that prove a workspace
PAGE = 100  # contacts that are read for a comparison
LOOKS = 5  # known contacts of one workspace that are read by their id
MOST_WORKSPACES = 10  # that a new pair is compared with by id, those begun last
MOST_KNOWN = 500  # contacts of one workspace
FIRST_YEAR = 1970  # what services give as a time that they do not have


class ContactMark(NamedTuple):
    """What tells a contact from those of other workspaces."""

    record_id: int
    created_on: datetime


class Verdict(Enum):
    """What a comparison of keys with a workspace says."""

    SAME = "same"
    OTHER = "other"
    UNKNOWN = "unknown"  # too few contacts are known or can be read


def read_marks(gateway: Gateway) -> list[ContactMark]:
    """The marks of one page of contacts. One call; raises GatewayError."""
    contacts = gateway.list(CONTACTS, page_size=PAGE).records
    return [mark for record in contacts if (mark := _mark_of(record))]


def compare(gateway: Gateway, marks: Sequence[ContactMark], workspace: Workspace) -> Verdict:
    """Whether keys that read these contacts belong to a workspace.

    Asks for at most LOOKS known contacts by id where the page has too few of them. Raises
    GatewayError.
    """
    counts = _of_page(marks).get(workspace.pk, Counter())
    if counts[Verdict.OTHER] and counts[Verdict.OTHER] >= counts[Verdict.SAME]:
        return Verdict.OTHER
    if marks and not _is_proven(counts[Verdict.SAME], marks, workspace):
        counts += _looked_for(gateway, marks, workspace, wanted=ENOUGH - counts[Verdict.SAME])
    if _is_proven(counts[Verdict.SAME], marks, workspace):
        return Verdict.SAME
    return Verdict.OTHER if set(counts) == {Verdict.OTHER} else Verdict.UNKNOWN


def proven(gateway: Gateway, marks: Sequence[ContactMark]) -> list[Workspace]:
    """The workspaces that keys which read these contacts belong to: one, or none. More than one if
    people began several for one workspace of the service. Raises GatewayError.
    """
    met = _of_page(marks)
    known = Workspace.objects.filter(known_contacts__isnull=False).distinct()
    on_page = known.filter(pk__in=met).order_by("created_at") if marks else ()
    same = [one for one in on_page if compare(gateway, marks, one) is Verdict.SAME]
    if same or not marks:
        return same
    latest = known.exclude(pk__in=met).order_by("-created_at")[:MOST_WORKSPACES]
    return [one for one in latest if compare(gateway, marks, one) is Verdict.SAME]


def like_small(marks: Sequence[ContactMark]) -> list[Workspace]:
    """The workspaces of which fewer than ENOUGH contacts are known, one of these among them."""
    met = list(_of_page(marks))
    counted = Workspace.objects.filter(pk__in=met).annotate(known=Count("known_contacts"))
    return list(counted.filter(known__lt=ENOUGH))


def remember(workspace: Workspace, marks: Sequence[ContactMark]) -> None:
    """Store contacts that the keys of a proven member have read; the oldest leave for new ones."""
    KnownContact.objects.bulk_create(
        [KnownContact(workspace=workspace, **mark._asdict()) for mark in marks],
        ignore_conflicts=True,
    )
    kept = workspace.known_contacts.order_by("-pk").values("pk")[:MOST_KNOWN]
    workspace.known_contacts.exclude(pk__in=list(kept.values_list("pk", flat=True))).delete()


def forget_others(workspace: Workspace, marks: Sequence[ContactMark]) -> None:
    """Drop the known contacts that are not among these, as they were deleted."""
    workspace.known_contacts.exclude(record_id__in=dict(marks)).delete()


def _mark_of(record: Record) -> ContactMark | None:
    """None without a time of creation: a bare day comes as midnight, and none at all as 1970."""
    created = record["cstcreated_on"]
    if not isinstance(created, datetime) or created.year <= FIRST_YEAR:
        return None
    midnight = time() in (created.time(), timezone.localtime(created).time())
    return None if midnight else ContactMark(record.id, created)


def _is_proven(equal: int, marks: Sequence[ContactMark], workspace: Workspace) -> bool:
    """Whether so many equal contacts are ENOUGH, or all that either side has."""
    if equal >= ENOUGH:
        return True
    return 0 < equal == len(marks) == workspace.known_contacts.count()


def _of_page(marks: Sequence[ContactMark]) -> dict[str, Counter[Verdict]]:
    """How many of these contacts are equal to one that a workspace knows by the same id, and how
    many are not, by workspace.
    """
    times = dict(marks)
    contacts = KnownContact.objects.filter(record_id__in=times)
    met: dict[str, Counter[Verdict]] = {}
    for pk, number, created in contacts.values_list("workspace", "record_id", "created_on"):
        same = created == times[number]
        met.setdefault(pk, Counter())[Verdict.SAME if same else Verdict.OTHER] += 1
    return met


def _looked_for(
    gateway: Gateway, marks: Sequence[ContactMark], workspace: Workspace, *, wanted: int
) -> Counter[Verdict]:
    """What known contacts that the page lacks say, until as many are equal as wanted."""
    others = workspace.known_contacts.exclude(record_id__in=dict(marks))
    found: Counter[Verdict] = Counter()
    for contact in others.order_by("?")[:LOOKS]:
        found[_look_for(gateway, contact)] += 1
        if found[Verdict.SAME] >= wanted:
            break
    return found


def _look_for(gateway: Gateway, contact: KnownContact) -> Verdict:
    """What one known contact says; nothing if the service leaves out when it was created."""
    try:
        record = gateway.get(CONTACTS, contact.record_id)
    except Missing:
        return Verdict.OTHER
    mark = _mark_of(record)
    if mark is None:
        return Verdict.UNKNOWN
    return Verdict.SAME if mark.created_on == contact.created_on else Verdict.OTHER


EVERY = timedelta(hours=24)  # between two comparisons of a stored pair
AGAIN = timedelta(minutes=10)  # after one that the service did not answer

NO_ANSWER = (Unavailable, Busy)
"""The errors after which nobody can tell what keys read; after any other, they prove nothing."""

State = members.State


class OtherWorkspace(NamedTuple):
    """A workspace that a user may go to. by_word: as in Placement. differs: the keys read other
    contacts than the members' keys.
    """

    workspace: Workspace
    by_word: bool
    differs: bool = False


class Placement(NamedTuple):
    """Where a key pair goes: a workspace, or None to begin one.

    by_word: an administrator vouches for the user. marks: what the keys read, if the workspace is
    to be known by it.
    """

    workspace: Workspace | None
    by_word: bool = False
    marks: Sequence[ContactMark] = ()


def place_of(user: User, gateway: Gateway) -> Placement:
    """Where keys that a user connects go. Raises Unavailable or Busy.

    An invitation counts for keys that prove nothing. Whose keys read other contacts goes there by a
    button on the page of their keys.
    """
    marks, same = _read(user, gateway)
    own = members.of_user(user)
    if same:
        stays = own and own.workspace in same and not members.is_alone(user, own.workspace)
        return Placement(own.workspace if own and stays else same[0], marks=marks)
    for workspace in members.invitations(user):
        if _compare(gateway, marks, workspace) is not Verdict.OTHER:
            return Placement(workspace, by_word=True)
    if own is not None and _may_stay(user, own.workspace, gateway, marks):
        return Placement(own.workspace, own.by_word)
    return Placement(None, marks=marks)


def others_for(pair: KeyPair, gateway: Gateway) -> list[OtherWorkspace]:
    """The other workspaces that the owner of a pair may go to: those that the keys prove, and those
    that have invited the owner. Raises Unavailable or Busy.
    """
    marks, same = _read(pair.user, gateway)
    others = [OtherWorkspace(one, by_word=False) for one in same]
    for one in members.invitations(pair.user):
        if one not in same:
            differs = _compare(gateway, marks, one) is Verdict.OTHER
            others.append(OtherWorkspace(one, by_word=True, differs=differs))
    return [choice for choice in others if choice.workspace.pk != pair.workspace_id]


def is_back_at_once(user: User, workspace: Workspace) -> bool:
    """Whether an administrator's word alone brings back somebody who was put out: the keys are
    those that were put out, and do not clearly read other contacts. Makes calls.
    """
    pair, row = services.pair_of(user), members.row_of(user, workspace)
    if pair is None or row is None or not members.is_as_put_out(pair, row):
        return False
    try:
        gateway = services.gateway(services.open_pair(pair))
        verdict = compare(gateway, read_marks(gateway), workspace)
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
    marks = read_marks(gateway)
    if not workspace.known_contacts.exists() or workspace in like_small(marks):
        _learn(workspace)
    verdict = compare(gateway, marks, workspace)
    if verdict is Verdict.SAME:
        remember(workspace, marks)
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


def _read(user: User, gateway: Gateway) -> tuple[Sequence[ContactMark], list[Workspace]]:
    """What the keys read, and the workspaces that it proves and nobody removed the user from.
    Raises Unavailable or Busy; both are empty where the service answers with another error.
    """
    try:
        marks = read_marks(gateway)
        unknown = Workspace.objects.filter(known_contacts=None, key_pairs__isnull=False)
        latest = unknown.distinct().order_by("-created_at")[:MOST_WORKSPACES]
        for workspace in (*latest, *like_small(marks)):
            _learn(workspace)
        same = proven(gateway, marks)
    except NO_ANSWER:
        raise
    except GatewayError:
        return [], []
    barred = members.removed_from(user)
    return marks, [one for one in same if one not in barred]


def _compare(gateway: Gateway, marks: Sequence[ContactMark], workspace: Workspace) -> Verdict:
    """As compare; an answer that is an error tells nothing. Raises Unavailable or Busy."""
    try:
        return compare(gateway, marks, workspace)
    except NO_ANSWER:
        raise
    except GatewayError:
        return Verdict.UNKNOWN


def _may_stay(
    user: User, workspace: Workspace, gateway: Gateway, marks: Sequence[ContactMark]
) -> bool:
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
            marks = read_marks(services.gateway(services.open_pair(pair)))
        except GatewayError:
            continue
        forget_others(workspace, marks)
        remember(workspace, marks)
        return
