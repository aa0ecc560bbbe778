"""Adds to the history, reads it, and deletes entries that are too old."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from django.db.models import BooleanField, Case, Exists, Max, OuterRef, Q, QuerySet, Value, When

from dashboard.accounts.models import User
from dashboard.monitoring import security

from .models import About, Entry

LONGEST = 2000  # characters of one value
# The resources of what administrators change. An account without keys is in no workspace.
STAFF, SERVICE = "staff", "service"
EXPORT = "export"
OFFICE = {STAFF: "Staff accounts", SERVICE: "Service"}

Changes = Mapping[str, tuple[str, str]]
RecordRef = tuple[str, int]  # the name of the resource and the id
Entries = QuerySet[Entry, Entry]


class Details(NamedTuple):
    """The encrypted part: the record's label, and each changed field before and after."""

    label: str
    changes: dict[str, tuple[str, str]]


def write(entry: Entry, *, label: str, changes: Changes, about: Iterable[RecordRef] = ()) -> None:
    """Store a new entry with the record's label and changes. Raises django.db.Error.

    about: the other records that it refers to.
    """
    cut = {name: (old[:LONGEST], new[:LONGEST]) for name, (old, new) in changes.items()}
    entry.content = {"label": label, "changes": cut}
    entry.save()
    if entry.resource in OFFICE or entry.operation == EXPORT:
        staff = {"account": entry.record_id, "fields": list(changes)}
        facts = staff if entry.resource == STAFF else {}
        security.note(entry.operation, person=entry.person_id, of=entry.resource, **facts)
    About.objects.bulk_create(
        About(entry=entry, resource=resource, record_id=number) for resource, number in about
    )


def details(entry: Entry) -> Details:
    """What changed; raises sealed.Unreadable."""
    found = entry.content
    changes = {name: (old, new) for name, (old, new) in found["changes"].items()}
    return Details(found["label"], changes)


def of_record(resource: str, record_id: int, *, owner: str, workspace: str = "") -> Entries:
    """The history of a record, newest first: what this key pair did and, with `workspace` given,
    what its members did. Give it only once these keys have read the record.
    """
    return visible(owner=owner, workspace=workspace).filter(resource=resource, record_id=record_id)


def around_record(resource: str, record_id: int, *, owner: str, workspace: str = "") -> Entries:
    """As of_record, with the entries of other records that refer to it."""
    others = About.objects.filter(resource=resource, record_id=record_id).values("entry")
    own = Q(resource=resource, record_id=record_id)
    return visible(owner=owner, workspace=workspace).filter(own | Q(pk__in=others))


def visible(*, owner: str, workspace: str = "") -> Entries:
    """All that of_record may show of any record, newest first."""
    wanted = Q(owner=owner) | Q(workspace=workspace) if workspace else Q(owner=owner)
    return Entry.objects.filter(wanted).order_by("-at", "-pk")


def of_workspace(workspace: str, *, office: Collection[str] | None = (), **filters: Any) -> Entries:
    """What was done in a workspace, newest first, with the entries of OFFICE that stand in these
    workspaces; "": in none; None: in any.

    filters: of the fields of entries. They come first in the query: where they fit no row, the
    database takes half the time, as it compares them faster than workspaces.
    """
    # No OR: SQLite would look up both sides by their own indexes and then sort a million rows.
    shown = Q(workspace__in=office) if office else Value(office is None)
    of_office = When(resource__in=OFFICE, then=shown)
    wanted = Case(of_office, default=Q(workspace=workspace), output_field=BooleanField())
    return Entry.objects.filter(**filters).filter(wanted).order_by("-at", "-pk")


def last_of(entries: Entries, resource: str, record_ids: Collection[int]) -> Entries:
    """The last of these entries for each of these records."""
    found = entries.order_by().filter(resource=resource, record_id__in=record_ids)
    last = found.values("record_id").annotate(last=Max("pk")).values("last")
    return Entry.objects.filter(pk__in=last)


def one_per_job(entries: Entries) -> Entries:
    """These entries with the last one of each job in place of all of that job."""
    # By the rows at hand: a query for the last entries of all jobs reads the whole table.
    later = entries.order_by().filter(job=OuterRef("job"), pk__gt=OuterRef("pk"))
    return entries.filter(Q(job__isnull=True) | ~Exists(later))


def created_by(person: User, workspace: str, resource: str) -> set[int]:
    """The ids of the records of a resource that a person created from this dashboard."""
    entries = Entry.objects.filter(person=person, workspace=workspace, resource=resource)
    created = entries.filter(operation="create", outcome="saved", record_id__isnull=False)
    return {number for number in created.values_list("record_id", flat=True) if number}


def of_office(
    resource: str, record_id: int | None = None, *, office: Collection[str] | None = None
) -> Entries:
    """What was done to an account, or to the service's switches, newest first; `office` as in
    of_workspace.
    """
    found = Entry.objects.filter(resource=resource, record_id=record_id).order_by("-at", "-pk")
    return found if office is None else found.filter(workspace__in=office)
