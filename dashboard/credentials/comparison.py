"""Compares a new key pair with those of a workspace, by the contacts that they read.

The API names no account. An id and a time of creation never change, so two pairs that read other
contacts under the same ids, or none of the same contacts, are of two accounts. Where too little can
be compared, an invitation counts.
"""

from collections.abc import Mapping
from datetime import datetime, time
from typing import NamedTuple

from django.utils import timezone

from dashboard.accounts.models import User
from dashboard.credentials import members, services
from dashboard.credentials.models import KeyPair, Workspace
from dashboard.gateway import CONTACTS, Busy, Gateway, GatewayError, Missing, Record, Unavailable

PAGE_SIZE = 100  # contacts that are read with each pair
MAX_COMPARED = 5  # pairs of a workspace
MAX_LOOKUPS = 5  # contacts of another pair that are read by their id
FIRST_YEAR = 1970  # what services give as a time that they do not have

NO_ANSWER = (Unavailable, Busy)
"""The errors after which nobody can tell what keys read; any other tells nothing about them."""

Marks = Mapping[int, datetime]  # when contacts were created, by their ids


class Contradiction(NamedTuple):
    """The owners of those pairs in a workspace that read another account."""

    workspace: Workspace
    owners: list[User]


class Destination(NamedTuple):
    """The workspace that a pair joins, None to begin one, and those that it contradicts."""

    workspace: Workspace | None
    contradictions: list[Contradiction]


def destination_of(user: User, gateway: Gateway) -> Destination:
    """Where keys that a user connects go: the workspace of an invitation, else the one that the
    user belongs to. Raises Unavailable or Busy.
    """
    own = members.of_user(user)
    candidates = [*members.invitations(user), *([own.workspace] if own else [])]
    contradictions: list[Contradiction] = []
    marks = marks_of(gateway)
    for workspace in candidates:
        found = contradiction(gateway, workspace, marks)
        if found is None:
            return Destination(workspace, contradictions)
        contradictions.append(found)
    return Destination(None, contradictions)


def contradiction(gateway: Gateway, workspace: Workspace, marks: Marks) -> Contradiction | None:
    """Which pairs of a workspace the keys that read `marks` contradict; None for none. Raises
    Unavailable or Busy.
    """
    pairs = KeyPair.objects.filter(workspace=workspace).select_related("user")
    owners = []
    for pair in pairs.order_by("refused", "connected_at")[:MAX_COMPARED]:
        try:
            others = read_marks(services.gateway(services.open_pair(pair)))
        except GatewayError:
            continue
        if contradicts(gateway, marks, others):
            owners.append(pair.user)
    return Contradiction(workspace, owners) if owners else None


def read_marks(gateway: Gateway) -> Marks:
    """When the contacts of one page were created. Raises GatewayError."""
    contacts = gateway.list(CONTACTS, page_size=PAGE_SIZE).records
    return {each.id: created for each in contacts if (created := _created_on(each))}


def marks_of(gateway: Gateway) -> Marks:
    """The same, none where they cannot be read. Raises Unavailable or Busy."""
    try:
        return read_marks(gateway)
    except NO_ANSWER:
        raise
    except GatewayError:
        return {}


def contradicts(gateway: Gateway, marks: Marks, others: Marks) -> bool:
    """Whether keys that read `marks` are clearly of another account than keys that read `others`.

    Without a contact in common, some of the others are looked for. Raises Unavailable or Busy.
    """
    if not marks or not others:
        return False
    if shared := marks.keys() & others.keys():
        return sum(marks[number] == others[number] for number in shared) <= len(shared) / 2
    looked_for = list(others.items())[:MAX_LOOKUPS]
    return all(_differs(gateway, number, created) for number, created in looked_for)


def _differs(gateway: Gateway, number: int, created: datetime) -> bool:
    try:
        mark = _created_on(gateway.get(CONTACTS, number))
    except Missing:
        return True
    except NO_ANSWER:
        raise
    except GatewayError:
        return False
    return mark is not None and mark != created


def _created_on(record: Record) -> datetime | None:
    """None without a time of creation: a bare day comes as midnight, and none at all as 1970."""
    created = record["cstcreated_on"]
    if not isinstance(created, datetime) or created.year <= FIRST_YEAR:
        return None
    midnight = time() in (created.time(), timezone.localtime(created).time())
    return None if midnight else created
