"""The records that a person opened last, and those that the person starred.

A record's id is stored, and encrypted for the person the name and the phone numbers that it had.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils import timezone

from dashboard.core.sealed import readable, sealed_text
from dashboard.people.models import User

from .models import RecentRecord

MAX_RECENTS = 50  # records of one person and key pair that are not starred
MAX_NUMBERS = 10  # of one record

RecordRef = tuple[str, int]  # the name of the resource and the id


class Seen(NamedTuple):
    """A record as it was when the person opened it last; `title` is "" where that is not known."""

    resource: str
    record_id: int
    starred: bool
    title: str
    numbers: list[str]


def note_opened(
    user: User,
    owner: str,
    resource: str,
    record_id: int,
    *,
    title: str = "",
    numbers: Sequence[str] = (),
) -> None:
    """Store that a person opened a record, with its name and numbers. Raises DatabaseError."""
    row: dict[str, Any] = {"owner": owner, "resource": resource, "record_id": record_id}
    record = RecentRecord(**row, user=user, seen_at=timezone.now())
    record.content = {"title": title, "numbers": list(numbers)[:MAX_NUMBERS]}
    stored = RecentRecord.objects.filter(**row, user=user)
    if stored.update(seen_at=record.seen_at, content=sealed_text(record, "content")):
        return
    record.save(force_insert=True)
    unstarred = _rows(user, owner).filter(starred=False)
    old = unstarred.values_list("pk", flat=True)[MAX_RECENTS:]
    RecentRecord.objects.filter(pk__in=list(old)).delete()


def seen(user: User, owner: str) -> list[Seen]:
    """Return all records that are kept for a person, the latest first, by one query."""
    return [snapshot(row) for row in _rows(user, owner)]


def snapshot(row: RecentRecord) -> Seen:
    """Return a row without name and numbers if no configured key decrypts them."""
    content = readable(row, "content")
    title, numbers = content.get("title", ""), content.get("numbers", [])
    return Seen(row.resource, row.record_id, row.starred, title, numbers)


def opened(user: User, owner: str, *, starred: bool) -> list[RecordRef]:
    """The starred records, or the others; the latest opened first."""
    rows = _rows(user, owner).filter(starred=starred)
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


def _rows(user: User, owner: str) -> QuerySet[RecentRecord]:
    return RecentRecord.objects.filter(user=user, owner=owner).order_by("-seen_at")
