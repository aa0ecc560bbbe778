"""The records that a person opened last, and those that the person starred.

Only ids are stored; names are looked up with the person's keys when they are shown.
"""

from django.db.models import QuerySet
from django.utils import timezone

from dashboard.accounts.models import User

from .models import RecentRecord

KEPT = 50  # records of one person and key pair that are not starred

RecordRef = tuple[str, int]  # the name of the resource and the id


def note_opened(user: User, owner: str, resource: str, record_id: int) -> None:
    """Store that a person opened a record. Raises DatabaseError."""
    now = timezone.now()
    _, is_new = RecentRecord.objects.update_or_create(
        user=user, owner=owner, resource=resource, record_id=record_id, defaults={"seen_at": now}
    )
    if is_new:
        old = _of(user, owner, starred=False).values_list("pk", flat=True)[KEPT:]
        RecentRecord.objects.filter(pk__in=list(old)).delete()


def recent(user: User, owner: str, most: int) -> list[RecordRef]:
    """The records that were opened last, the latest first."""
    found = RecentRecord.objects.filter(user=user, owner=owner).order_by("-seen_at")[:most]
    return [(row.resource, row.record_id) for row in found]


def starred(user: User, owner: str) -> list[RecordRef]:
    """The starred records, the latest opened first."""
    return [(row.resource, row.record_id) for row in _of(user, owner, starred=True)]


def is_starred(user: User, owner: str, resource: str, record_id: int) -> bool:
    """Whether the person has starred the record."""
    rows = _of(user, owner, starred=True)
    return rows.filter(resource=resource, record_id=record_id).exists()


def star(user: User, owner: str, resource: str, record_id: int, *, on: bool) -> None:
    """Star a record, or take its star away."""
    RecentRecord.objects.update_or_create(
        user=user,
        owner=owner,
        resource=resource,
        record_id=record_id,
        defaults={"starred": on},
        create_defaults={"starred": on, "seen_at": timezone.now()},
    )


def forget(owner: str, resource: str, record_id: int) -> None:
    """Drop a deleted record from everybody's list."""
    RecentRecord.objects.filter(owner=owner, resource=resource, record_id=record_id).delete()


def _of(user: User, owner: str, *, starred: bool) -> QuerySet[RecentRecord]:
    rows = RecentRecord.objects.filter(user=user, owner=owner, starred=starred)
    return rows.order_by("-seen_at")
