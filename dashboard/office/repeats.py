"""Recurring records of a person. Nothing is sent automatically: on its day a record appears on
Today, and its form starts as a copy.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.db.models import QuerySet

from dashboard.people.models import User
from dashboard.text import recurrence

from .models import Repeat


def of_person(person: int, workspace: str) -> QuerySet[Repeat]:
    return Repeat.objects.filter(person=person, workspace=workspace)


def find_repeat(person: int, workspace: str, resource: str, record_id: int) -> Repeat | None:
    return of_person(person, workspace).filter(resource=resource, record_id=record_id).first()


def store(
    person: int, workspace: str, resource: str, record_id: int, days: Mapping[str, Any]
) -> None:
    """Store how a record repeats, replacing the earlier frequency. `days`: fields of a Repeat."""
    Repeat.objects.update_or_create(
        person_id=person,
        workspace_id=workspace,
        resource=resource,
        record_id=record_id,
        defaults=days,
    )


def hand_over(repeat: Repeat, colleague: User) -> bool:
    """Hand the repeat to a colleague. Return False if they have one of the same record, and keep
    their own.
    """
    if find_repeat(colleague.pk, repeat.workspace_id, repeat.resource, repeat.record_id):
        repeat.delete()
        return False
    repeat.person = colleague
    repeat.save(update_fields=["person"])
    return True


def move_on(*, repeat: Repeat, day: date) -> None:
    """Advance from this day to the next one, unless another request has. Raises DatabaseError."""
    following = recurrence.next_after(repeat.begins_on, repeat.frequency, day)
    Repeat.objects.filter(pk=repeat.pk, next_on=day).update(next_on=following)


def note_made(*, place: tuple[int, str, str, int], day: date) -> None:
    """Advance from this day, whose copy of the record at this place was created."""
    if known := find_repeat(*place):
        move_on(repeat=known, day=day)
