"""Tells by what keys read which workspace they belong to, as no answer of the API names one.

Contacts prove it, which every plan has. Two pairs of keys belong to one workspace if both read a
contact with the same id and the same time of creation: the service gives both, and nobody can edit
either. An id alone proves nothing, since a service may number the contacts of each workspace
separately. Names prove nothing either, as people type them.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from typing import NamedTuple

from dashboard.credentials.models import KnownContact, Workspace
from dashboard.gateway import CONTACTS, Gateway, Missing, Record

PAGE = 100  # contacts that are read for a comparison
LOOKS = 5  # known contacts of one workspace that are read by their id
MOST_WORKSPACES = 10  # that a new pair is compared with by id, those begun last
MOST_KNOWN = 500  # contacts of one workspace


class Mark(NamedTuple):
    """What tells a contact from those of other workspaces."""

    record_id: int
    created_on: datetime


class Verdict(Enum):
    """What a comparison of keys with a workspace says."""

    SAME = "same"
    OTHER = "other"
    UNKNOWN = "unknown"  # the keys read no contact, or no contact of the workspace is known


def read_marks(gateway: Gateway) -> list[Mark]:
    """The marks of one page of contacts. One call; raises GatewayError."""
    found = gateway.list(CONTACTS, page_size=PAGE).records
    return [mark for record in found if (mark := _mark_of(record))]


def compare(gateway: Gateway, marks: Sequence[Mark], workspace: Workspace) -> Verdict:
    """Whether keys that read these contacts belong to a workspace.

    Asks for known contacts by id where the page has none of them. Raises GatewayError.
    """
    found = _of_page(marks).get(workspace.pk)
    if found is not None:
        return found
    looked = workspace.known_contacts.order_by("?")[:LOOKS] if marks else []
    verdicts = {_look_for(gateway, contact) for contact in looked}
    if Verdict.SAME in verdicts:
        return Verdict.SAME
    return Verdict.OTHER if verdicts == {Verdict.OTHER} else Verdict.UNKNOWN


def proven(gateway: Gateway, marks: Sequence[Mark]) -> list[Workspace]:
    """The workspaces that keys which read these contacts belong to: one, or none. More than one if
    people began several for one workspace of the service. Raises GatewayError.
    """
    verdicts = _of_page(marks)
    same = [pk for pk, verdict in verdicts.items() if verdict is Verdict.SAME]
    if same:
        return list(Workspace.objects.filter(pk__in=same).order_by("created_at"))
    others = Workspace.objects.filter(known_contacts__isnull=False).exclude(pk__in=verdicts)
    latest = others.distinct().order_by("-created_at")[:MOST_WORKSPACES] if marks else []
    return [one for one in latest if compare(gateway, marks, one) is Verdict.SAME]


def remember(workspace: Workspace, marks: Sequence[Mark]) -> None:
    """Store contacts that the keys of a proven member have read; the oldest leave for new ones."""
    KnownContact.objects.bulk_create(
        [KnownContact(workspace=workspace, **mark._asdict()) for mark in marks],
        ignore_conflicts=True,
    )
    kept = workspace.known_contacts.order_by("-pk").values("pk")[:MOST_KNOWN]
    workspace.known_contacts.exclude(pk__in=list(kept.values_list("pk", flat=True))).delete()


def _mark_of(record: Record) -> Mark | None:
    created = record["cstcreated_on"]
    return Mark(record.id, created) if isinstance(created, datetime) else None


def _of_page(marks: Sequence[Mark]) -> dict[str, Verdict]:
    """The workspaces that know one of these ids: the same one if more marks are equal than not."""
    times = dict(marks)
    found = KnownContact.objects.filter(record_id__in=times)
    score: Counter[str] = Counter()
    for pk, number, created in found.values_list("workspace", "record_id", "created_on"):
        score[pk] += 1 if created == times[number] else -1
    return {pk: Verdict.SAME if sum_ > 0 else Verdict.OTHER for pk, sum_ in score.items()}


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
