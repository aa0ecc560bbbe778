"""Records that a person makes again in a rhythm. Nothing is sent by itself: on its day a record
stands on Today, and its form begins as a copy.
"""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import QuerySet

from dashboard.accounts.models import User
from dashboard.sealed import readable, sealed_text
from dashboard.text import rhythm

from .models import Repeat

MOST = 200  # of one person in a workspace


class TooMany(Exception):  # noqa: N818 (what it is, without Error)
    """The person has as many as there can be."""


@dataclass(frozen=True)
class Plan:
    """When a record is made again. begins_on: the day that the rhythm is counted from."""

    rhythm: str
    begins_on: date
    next_on: date
    until: date | None = None


def of_person(person: int, workspace: str) -> QuerySet[Repeat]:
    """All of a person in a workspace, the next one first."""
    return Repeat.objects.filter(person=person, workspace=workspace)


def due(person: int, workspace: str, today: date) -> QuerySet[Repeat]:
    """Those whose day has come."""
    return of_person(person, workspace).filter(next_on__lte=today)


def find(person: int, workspace: str, resource: str, record_id: int) -> Repeat | None:
    """The one of a record."""
    rows = of_person(person, workspace).filter(resource=resource, record_id=record_id)
    return rows.first()


def title_of(repeat: Repeat) -> tuple[str, str]:
    """The title of the record and what it is about; "" where no configured key opens them."""
    content = readable(repeat, "content")
    return str(content.get("title", "")), str(content.get("about", ""))


def store(
    person: int,
    workspace: str,
    resource: str,
    record_id: int,
    plan: Plan,
    *,
    title: str,
    about: str,
) -> None:
    """Store how a record repeats, in place of what was stored before. Raises TooMany."""
    of_record: dict[str, Any] = {"resource": resource, "record_id": record_id}
    key: dict[str, Any] = {"person_id": person, "workspace_id": workspace, **of_record}
    row = Repeat(**key)
    row.content = {"title": title, "about": about}
    values = {
        "rhythm": plan.rhythm,
        "begins_on": plan.begins_on,
        "next_on": plan.next_on,
        "until": plan.until,
        "sent_with": "",
        "is_gone": False,
        "content_sealed": sealed_text(row, "content"),
    }
    known = of_person(person, workspace)
    if not known.filter(**of_record).exists() and known.count() >= MOST:
        raise TooMany
    Repeat.objects.update_or_create(**key, defaults=values)


def rename(*, repeat: Repeat, title: str, about: str) -> None:
    """Keep the title of its record and what that is about. Raises DatabaseError."""
    repeat.content = {"title": title, "about": about}
    of_this = Repeat.objects.filter(pk=repeat.pk)
    of_this.update(content=sealed_text(repeat, "content"), is_gone=False)


def end(repeat: Repeat) -> None:
    """Repeat it no more."""
    Repeat.objects.filter(pk=repeat.pk).delete()


def hand_over(repeat: Repeat, colleague: User) -> bool:
    """Let a colleague make the record again; one who does so already keeps their own rhythm."""
    place = (repeat.workspace_id, repeat.resource, repeat.record_id)
    if find(colleague.pk, *place):
        end(repeat)
        return True
    content = readable(repeat, "content")
    repeat.person = colleague
    repeat.content = content  # sealed anew, for its new person
    repeat.save(update_fields=["person", "content"])
    return True


def missed(repeat: Repeat, today: date) -> int:
    """How many more of its days have come since the next one; none after the last."""
    last = min(today, repeat.until) if repeat.until else today
    if repeat.next_on >= last:
        return 0
    return rhythm.count_between(repeat.begins_on, repeat.rhythm, repeat.next_on, last)


def move_on(repeat: Repeat, after: date) -> date | None:
    """Go on to the first day after this one; None where that was the last one, and it has ended.
    Another request that did so at the same moment counts once.
    """
    day = rhythm.next_after(repeat.begins_on, repeat.rhythm, after)
    row = Repeat.objects.filter(pk=repeat.pk, next_on=repeat.next_on)
    if repeat.until and day > repeat.until:
        row.delete()
        return None
    row.update(next_on=day, sent_with="")
    return day


def note_sent(
    person: int, workspace: str, resource: str, record_id: int, *, day: date, token: str
) -> None:
    """Note the one-time token of the form that makes that day's record. Raises DatabaseError."""
    rows = of_person(person, workspace).filter(resource=resource, record_id=record_id)
    rows.filter(next_on=day).update(sent_with=token)


def note_saved(person: int | None, token: str) -> None:
    """Go on to the next day, as what was sent with this token, or again, is saved. Raises
    DatabaseError.
    """
    first = token.partition("+")[0]
    for repeat in Repeat.objects.filter(person=person, sent_with=first) if first else ():
        move_on(repeat, repeat.next_on)


def note_gone(person: int, workspace: str, resource: str, record_id: int) -> None:
    """Note that the record cannot be found any more. Raises DatabaseError."""
    rows = of_person(person, workspace).filter(resource=resource, record_id=record_id)
    rows.update(is_gone=True)
