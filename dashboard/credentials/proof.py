"""Tells by what keys read which workspace they belong to, as no answer of the API names one.

Contacts prove it, which every plan has. Two pairs of keys belong to one workspace if both read
ENOUGH contacts with the same ids and the same times of creation: the service gives both, and nobody
can edit either. An id alone proves nothing, since a service may number the contacts of each
workspace separately, and neither does a bare day, which many contacts share. Names prove nothing
either, as people type them.

A workspace with fewer than ENOUGH contacts is proven by all of them, and only to keys that read no
others: keys of a workspace with one contact must not open a large one that has a contact like it.
The caller reads such a workspace again before (placing.py), so that "all" are those of now. Keys of
a workspace without contacts prove nothing: who connects them there second needs an administrator's
word.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, time
from enum import Enum
from typing import NamedTuple

from django.db.models import Count
from django.utils import timezone

from dashboard.credentials.models import KnownContact, Workspace
from dashboard.gateway import CONTACTS, Gateway, Missing, Record

ENOUGH = 3  # equal marks that prove a workspace
PAGE = 100  # contacts that are read for a comparison
LOOKS = 5  # known contacts of one workspace that are read by their id
MOST_WORKSPACES = 10  # that a new pair is compared with by id, those begun last
MOST_KNOWN = 500  # contacts of one workspace
FIRST_YEAR = 1970  # what services give as a time that they do not have


class Mark(NamedTuple):
    """What tells a contact from those of other workspaces."""

    record_id: int
    created_on: datetime


class Verdict(Enum):
    """What a comparison of keys with a workspace says."""

    SAME = "same"
    OTHER = "other"
    UNKNOWN = "unknown"  # too few contacts are known or can be read


def read_marks(gateway: Gateway) -> list[Mark]:
    """The marks of one page of contacts. One call; raises GatewayError."""
    found = gateway.list(CONTACTS, page_size=PAGE).records
    return [mark for record in found if (mark := _mark_of(record))]


def compare(gateway: Gateway, marks: Sequence[Mark], workspace: Workspace) -> Verdict:
    """Whether keys that read these contacts belong to a workspace.

    Asks for at most LOOKS known contacts by id where the page has too few of them. Raises
    GatewayError.
    """
    found = _of_page(marks).get(workspace.pk, Counter())
    if found[Verdict.OTHER] and found[Verdict.OTHER] >= found[Verdict.SAME]:
        return Verdict.OTHER
    if marks and not _is_proven(found[Verdict.SAME], marks, workspace):
        found += _looked_for(gateway, marks, workspace, wanted=ENOUGH - found[Verdict.SAME])
    if _is_proven(found[Verdict.SAME], marks, workspace):
        return Verdict.SAME
    return Verdict.OTHER if set(found) == {Verdict.OTHER} else Verdict.UNKNOWN


def proven(gateway: Gateway, marks: Sequence[Mark]) -> list[Workspace]:
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


def like_small(marks: Sequence[Mark]) -> list[Workspace]:
    """The workspaces of which fewer than ENOUGH contacts are known, one of these among them."""
    met = list(_of_page(marks))
    counted = Workspace.objects.filter(pk__in=met).annotate(known=Count("known_contacts"))
    return list(counted.filter(known__lt=ENOUGH))


def remember(workspace: Workspace, marks: Sequence[Mark]) -> None:
    """Store contacts that the keys of a proven member have read; the oldest leave for new ones."""
    KnownContact.objects.bulk_create(
        [KnownContact(workspace=workspace, **mark._asdict()) for mark in marks],
        ignore_conflicts=True,
    )
    kept = workspace.known_contacts.order_by("-pk").values("pk")[:MOST_KNOWN]
    workspace.known_contacts.exclude(pk__in=list(kept.values_list("pk", flat=True))).delete()


def forget_others(workspace: Workspace, marks: Sequence[Mark]) -> None:
    """Drop the known contacts that are not among these, as they were deleted."""
    workspace.known_contacts.exclude(record_id__in=dict(marks)).delete()


def _mark_of(record: Record) -> Mark | None:
    """None without a time of creation: a bare day comes as midnight, and none at all as 1970."""
    created = record["cstcreated_on"]
    if not isinstance(created, datetime) or created.year <= FIRST_YEAR:
        return None
    midnight = time() in (created.time(), timezone.localtime(created).time())
    return None if midnight else Mark(record.id, created)


def _is_proven(equal: int, marks: Sequence[Mark], workspace: Workspace) -> bool:
    """Whether so many equal contacts are ENOUGH, or all that either side has."""
    if equal >= ENOUGH:
        return True
    return 0 < equal == len(marks) == workspace.known_contacts.count()


def _of_page(marks: Sequence[Mark]) -> dict[str, Counter[Verdict]]:
    """How many of these contacts are equal to one that a workspace knows by the same id, and how
    many are not, by workspace.
    """
    times = dict(marks)
    found = KnownContact.objects.filter(record_id__in=times)
    met: dict[str, Counter[Verdict]] = {}
    for pk, number, created in found.values_list("workspace", "record_id", "created_on"):
        same = created == times[number]
        met.setdefault(pk, Counter())[Verdict.SAME if same else Verdict.OTHER] += 1
    return met


def _looked_for(
    gateway: Gateway, marks: Sequence[Mark], workspace: Workspace, *, wanted: int
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
