"""Compares a new key pair with those of a workspace, by the contacts that they read.

The API names no account. An id and a time of creation never change, so two pairs that read other
contacts under the same ids, or none of the same contacts, are of two accounts. Where too little can
be compared, an invitation counts.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, time
from functools import partial
from time import monotonic
from typing import NamedTuple

from django.utils import timezone

from dashboard.gateway import (
    CONTACTS,
    Busy,
    Gateway,
    GatewayError,
    Missing,
    Record,
    Unavailable,
    concurrency,
)
from dashboard.people import keys
from dashboard.people.models import KeyPair, User, Workspace

PAGE_SIZE = 100  # contacts that are read with each pair
MAX_COMPARED = 5  # pairs of a workspace
MAX_LOOKUPS = 5  # contacts of another pair that are read by their id
MAX_SECONDS = 15  # for all calls together
FIRST_YEAR = 1970  # what services give as a time that they do not have

NO_ANSWER = (Unavailable, Busy)
"""The errors after which nobody can tell what keys read; any other tells nothing about them."""

Marks = Mapping[int, datetime]  # when contacts were created, by their ids


class Destination(NamedTuple):
    """The workspace that a pair joins, None to start one. contradicted: workspaces of another
    account, each with the owners of the pairs that read it.
    """

    workspace: Workspace | None
    contradicted: dict[Workspace, list[User]]


def choose(gateway: Gateway, candidates: Iterable[Workspace]) -> Destination:
    """Return the first workspace that the keys do not contradict. Raises Unavailable or Busy, also
    after MAX_SECONDS.
    """
    until = monotonic() + MAX_SECONDS
    contradicted: dict[Workspace, list[User]] = {}
    answer = concurrency.result(concurrency.submit(partial(read_marks, gateway)), until)
    if isinstance(answer, NO_ANSWER):
        raise answer
    marks: Marks = {} if isinstance(answer, GatewayError) else answer
    for workspace in candidates:
        owners = _contradicted_owners(gateway, workspace, marks, until)
        if not owners:
            return Destination(workspace, contradicted)
        contradicted[workspace] = owners
    return Destination(None, contradicted)


def _contradicted_owners(
    gateway: Gateway, workspace: Workspace, marks: Marks, until: float
) -> list[User]:
    """Return the owners of the pairs of a workspace that the keys which read `marks` contradict;
    none where they agree with one pair. until: monotonic seconds. Raises Unavailable or Busy.
    """
    owners: list[User] = []
    unanswered: GatewayError | None = None
    for owner, others in _marks_of_pairs(workspace, until) if marks else ():
        if isinstance(others, NO_ANSWER):
            unanswered = others
        elif not isinstance(others, GatewayError):
            same = agrees(gateway, marks, others, until)
            if same:
                return []
            if same is False:
                owners.append(owner)
    if unanswered and not owners:
        raise unanswered
    return owners


def _marks_of_pairs(
    workspace: Workspace, until: float
) -> Iterator[tuple[User, Marks | GatewayError]]:
    pairs = KeyPair.objects.filter(workspace=workspace).select_related("user")
    calls = []
    for pair in pairs.order_by("refused", "connected_at")[:MAX_COMPARED]:
        try:
            gateway = keys.gateway(keys.open_pair(pair))
        except keys.KeysUnreadable:
            continue
        calls.append((pair.user, concurrency.submit(partial(read_marks, gateway))))
    for owner, call in calls:
        yield owner, concurrency.result(call, until)


def read_marks(gateway: Gateway) -> Marks:
    """Return when the contacts of one page were created. Raises GatewayError."""
    contacts = gateway.list(CONTACTS, page_size=PAGE_SIZE).records
    return {each.id: created for each in contacts if (created := _created_on(each))}


def agrees(gateway: Gateway, marks: Marks, others: Marks, until: float) -> bool | None:
    """Return whether keys that read `marks` are of the same account as keys that read `others`;
    None if too little can be compared.

    Without a contact in common, reads some of the others by id. Raises Unavailable or Busy.
    """
    if not marks or not others:
        return None
    if shared := marks.keys() & others.keys():
        return sum(marks[number] == others[number] for number in shared) > len(shared) / 2
    looked_for = list(others.items())[:MAX_LOOKUPS]
    calls = [concurrency.submit(partial(gateway.get, CONTACTS, number)) for number, _ in looked_for]
    answers = [concurrency.result(call, until) for call in calls]
    found = {_is_from(each, mark) for each, (_, mark) in zip(answers, looked_for, strict=True)}
    if True in found:
        return True
    return None if None in found else False


def _is_from(answer: Record | GatewayError, created: datetime) -> bool | None:
    if isinstance(answer, NO_ANSWER):
        raise answer
    if isinstance(answer, GatewayError):
        return False if isinstance(answer, Missing) else None
    mark = _created_on(answer)
    return None if mark is None else mark == created


def _created_on(record: Record) -> datetime | None:
    """Return when a contact was created; None without a time of creation: a bare day comes as
    midnight, and none at all as 1970.
    """
    created = record["cstcreated_on"]
    if not isinstance(created, datetime) or created.year <= FIRST_YEAR:
        return None
    midnight = time() in (created.time(), timezone.localtime(created).time())
    return None if midnight else created
