"""The records that a person opened last, and those that the person starred.

A record's id is stored, and encrypted for the person the name and the phone numbers that it had.
"""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from dashboard.core.sealed import readable, sealed_text
from dashboard.people.models import User

from .models import RecentRecord

MAX_RECENTS = 50  # records of one person and key pair that are not starred
MAX_NUMBERS = 10  # of one record

RecordRef = tuple[str, int]  # the name of the resource and the id


def note_opened(
    user: User,
    owner: str,
    resource: str,
    record_id: int,
    *,
    title: str = "",
    numbers: Sequence[str] = (),
) -> None:
    """Store that a person opened a record, with its name and numbers. Nothing is written if it is
    the last one again, with the same. Raises DatabaseError.
    """
    row: dict[str, Any] = {"owner": owner, "resource": resource, "record_id": record_id}
    content = {"title": title, "numbers": list(numbers)[:MAX_NUMBERS]}
    last = seen(user, owner).first()
    same = last and (last.resource, last.record_id) == (resource, record_id)
    if last and same and readable(last, "content") == content:
        return
    record = RecentRecord(**row, user=user, seen_at=timezone.now())
    record.content = content
    stored = RecentRecord.objects.filter(**row, user=user)
    if stored.update(seen_at=record.seen_at, content=sealed_text(record, "content")):
        return
    record.save(force_insert=True)
    unstarred = seen(user, owner).filter(starred=False)
    old = unstarred.values_list("pk", flat=True)[MAX_RECENTS:]
    RecentRecord.objects.filter(pk__in=list(old)).delete()


def seen(user: User, owner: str) -> QuerySet[RecentRecord]:
    """Return all records that are kept for a person, the latest first."""
    return RecentRecord.objects.filter(user=user, owner=owner).order_by("-seen_at")


def opened(user: User, owner: str, *, starred: bool) -> list[RecordRef]:
    """Return the starred records, or the others; the latest opened first."""
    rows = seen(user, owner).filter(starred=starred)
    return list(rows.values_list("resource", "record_id"))


def star(user: User, owner: str, resource: str, record_id: int, *, on: bool) -> None:
    RecentRecord.objects.update_or_create(
        user=user,
        owner=owner,
        resource=resource,
        record_id=record_id,
        defaults={"starred": on},
        create_defaults={"starred": on, "seen_at": timezone.now()},
    )


def forget(owner: str, resource: str, record_id: int) -> None:
    RecentRecord.objects.filter(owner=owner, resource=resource, record_id=record_id).delete()
