"""Adding to the history, reading it, and letting go of what is too old."""

import json
import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Q, QuerySet
from django.utils import timezone

from dashboard import cipher, rotation
from dashboard.accounts.models import User

from .models import HOUSE, Entry

PURPOSE = "audit"
LONGEST = 2000  # characters of one value

logger = logging.getLogger(__name__)
Changes = Mapping[str, tuple[str, str]]


class Details(NamedTuple):
    """What is inside: the record's name, and by field what it was before and after."""

    label: str
    changes: dict[str, tuple[str, str]]


def write(
    *,
    person: User,
    owner: str,
    workspace: str,
    resource: str,
    record_id: int | None,
    operation: str,
    outcome: str,
    answer: str,
    seconds: float,
    label: str,
    changes: Changes,
) -> None:
    """Add one line. That it cannot be added stops nobody: the outbox has the write as well."""
    cut = {name: (old[:LONGEST], new[:LONGEST]) for name, (old, new) in changes.items()}
    text = json.dumps({"label": label, "changes": cut}, ensure_ascii=False)
    try:
        Entry.objects.create(
            person=person,
            who=person.get_username(),
            owner=owner,
            workspace=workspace,
            resource=resource,
            record_id=record_id,
            operation=operation,
            outcome=outcome,
            answer=answer,
            seconds=seconds,
            sealed=cipher.seal(text, owner=HOUSE, purpose=PURPOSE),
        )
    except DatabaseError:
        logger.exception("a line of the history could not be written")


def details(entry: Entry) -> Details:
    """What changed; raises cipher.Unreadable."""
    found = json.loads(cipher.unseal(entry.sealed, owner=HOUSE, purpose=PURPOSE))
    changes = {name: (old, new) for name, (old, new) in found["changes"].items()}
    return Details(found["label"], changes)


def of_record(
    resource: str, record_id: int, *, owner: str, workspace: str = ""
) -> QuerySet[Entry, Entry]:
    """The history of a record, newest first: what this key pair did and, with `workspace` given,
    what was done under that name. Give it only once these keys have read the record: the name of a
    workspace is what people typed, and proves nothing by itself.
    """
    wanted = Q(owner=owner) | Q(workspace=workspace) if workspace else Q(owner=owner)
    found = Entry.objects.filter(wanted, resource=resource, record_id=record_id)
    return found.order_by("-at", "-pk")


def of_workspace(workspace: str) -> QuerySet[Entry, Entry]:
    """All that was done under that name, newest first."""
    return Entry.objects.filter(workspace=workspace).order_by("-at", "-pk")


def purge() -> int:
    """Delete what is older than AUDIT_RETENTION_DAYS; how many lines that were."""
    before = timezone.now() - timedelta(days=settings.AUDIT_RETENTION_DAYS)
    return Entry.rows.filter(at__lt=before).delete()[0]


def rotate() -> rotation.Report:
    """Bring every line under the first encryption key."""
    return rotation.rotate(Entry.rows.all(), "sealed", owner="house", purpose=PURPOSE)
