"""The history: finished writes and events. Reads it, and adds events."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from heapq import merge
from sys import maxsize
from typing import Any, NamedTuple

from django.db.models import BooleanField, Case, Exists, Max, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce
from django.db.models.lookups import In

from dashboard.core import security_log
from dashboard.people.context import RequestContext
from dashboard.people.models import User
from dashboard.schema.filters import BuiltInView, Choice, RowTest

from .ledger import seen_by_colleagues
from .models import Event, RelatedRecord, Write

# The resources of what administrators change. An account without keys is in no workspace.
STAFF, SERVICE = "staff", "service"
EXPORT = "export"
REMINDER = "remind"  # a text that reminds a customer was opened; nothing was sent from here
OFFICE = {STAFF: "Staff accounts", SERVICE: "Optional features"}

OUTCOMES = (Write.State.SAVED, Write.State.NOT_SAVED, Write.State.NOT_SURE)

Changes = Mapping[str, tuple[Any, Any]]  # each a text, texts by name, or a list of these
Line = Write | Event
Writes = QuerySet[Write, Write]
Events = QuerySet[Event, Event]

# The columns that a timeline shows.
TIMELINE = (
    "token", "workspace", "resource", "record_id", "operation", "state", "changes", "asked_at",
    "done_at", "who", "person",
)  # fmt: skip


class Details(NamedTuple):
    """The encrypted part: the record's label, and the old and new value of each changed field."""

    label: str
    changes: dict[str, tuple[Any, Any]]


class History(NamedTuple):
    """Lines of both tables, each newest first."""

    writes: Writes
    events: Events

    def lines(self) -> Iterator[Line]:
        tables = (self.writes.iterator(), self.events.iterator())
        return merge(*tables, key=place_of, reverse=True)


def place_of(line: Line) -> tuple[Any, int, int]:
    """Return the sort key of the history."""
    return line.at, line.RANK, line.pk


def add(event: Event, *, label: str, changes: Changes) -> None:
    """Store a new event. `who` is its person, if it has one. Raises django.db.Error."""
    if event.person:
        event.who = event.person.get_username()
    event.changes = seen_by_colleagues(label, changes)
    event.save()
    account = {"account": event.record_id, "fields": list(changes)}
    facts = account if event.resource == STAFF else {}
    security_log.record_event(event.operation, person=event.person_id, of=event.resource, **facts)


def details(line: Line) -> Details:
    """Return the changes. Raises sealed.DecryptionError."""
    stored = line.changes
    changes = {name: (old, new) for name, (old, new) in stored["changes"].items()}
    return Details(stored["label"], changes)


def finished() -> Writes:
    """Return the writes that belong to the history, newest first."""
    writes = Write.objects.filter(done_at__isnull=False, sent_at__isnull=False)
    return writes.select_related("person").order_by("-done_at", "-pk")


def by_whom(line: Line) -> str:
    """Return the person's display name; the username if the account is gone."""
    return line.person.display_name if line.person else line.who


def add_people(lines: Iterable[Line], known: User | None) -> None:
    """Set the people of lines that were read without them. One query, unless all are `known`."""
    people = {known.pk: known} if known else {}
    if others := {line.person_id for line in lines if line.person_id} - people.keys():
        people |= User.objects.in_bulk(others)
    for line in lines:
        line.person = people.get(line.person_id or 0)


def with_outcome(*states: str) -> In:
    # As an expression: by an index of the state, SQLite would read and sort a million rows.
    return In(Coalesce("state", Value("")), states)


def of_record(resource: str, record_id: int, *, owner: str, workspace: str = "") -> Writes:
    """Return the history of a record, newest first: writes of this key pair and, with `workspace`,
    of its members. Pass that only once these keys have read the record.
    """
    return visible(owner=owner, workspace=workspace).filter(resource=resource, record_id=record_id)


def around_record(
    resource: str, record_id: int, *, owner: str, workspace: str = "", most: int = maxsize
) -> list[Write]:
    """Return the writes as of_record, with writes to other records that refer to it, and without
    those not saved. Only with the columns of a timeline, see `add_people`.
    """
    record = {"resource": resource, "record_id": record_id}
    around = Q(**record) | Q(pk__in=RelatedRecord.objects.filter(**record).values("write"))
    here = _readable_here(owner, workspace)
    writes = Write.objects.filter(here, around, done_at__isnull=False).order_by("-done_at")
    # Tested here: the ORM would take longer to write the condition than to read the rows.
    known = Write.State.SAVED, Write.State.NOT_SURE
    found = [each for each in writes.only(*TIMELINE)[:most] if each.state in known]
    return sorted(found, key=place_of, reverse=True)


def visible(*, owner: str, workspace: str = "") -> Writes:
    """Return all that of_record may show of any record, newest first."""
    return finished().filter(_readable_here(owner, workspace))


def events_of(
    resource: str,
    record_ids: Collection[int],
    *,
    owner: str,
    workspace: str = "",
    **filters: Any,
) -> Events:
    """Return the events of some records, newest first, see `add_people`. The rule of of_record
    holds here, too.
    """
    here = _readable_here(owner, workspace)
    events = Event.objects.filter(here, resource=resource, record_id__in=record_ids, **filters)
    return events.order_by("-at", "-pk")


def _readable_here(owner: str, workspace: str) -> Q:
    return Q(owner=owner) | Q(workspace=workspace) if workspace else Q(owner=owner)


def of_workspace(workspace: str, *, office: Collection[str] | None = (), **filters: Any) -> History:
    """Return the history of a workspace, with the events of OFFICE in these workspaces; "": in
    none; None: in any.

    filters: of the fields of lines, and `since` and `until`. They come first in the query: without
    a match the database takes half the time, as it compares them faster than workspaces.
    """
    return History(_writes_of(workspace, filters), _events_of(workspace, office, filters))


def _writes_of(workspace: str, filters: Mapping[str, Any]) -> Writes:
    named = _named(filters, Write)
    outcome = named.pop("outcome", None)
    writes = finished().filter(with_outcome(outcome)) if outcome else finished()
    return writes.filter(**named).filter(workspace=workspace)


def _events_of(
    workspace: str, office: Collection[str] | None, filters: Mapping[str, Any]
) -> Events:
    named = _named(filters, Event)
    if "job" in named or named.pop("outcome", Event.state) != Event.state:
        return Event.objects.none()
    # No OR: SQLite would look up both sides by their own indexes and then sort a million rows.
    office_events = Q(workspace__in=office) if office else Value(office is None)
    of_office = When(resource__in=OFFICE, then=office_events)
    is_visible = Case(of_office, default=Q(workspace=workspace), output_field=BooleanField())
    events = Event.objects.filter(**named).filter(is_visible)
    return events.select_related("person").order_by("-at", "-pk")


def _named(filters: Mapping[str, Any], model: type[Line]) -> dict[str, Any]:
    columns = {"since": f"{model.TIME}__gte", "until": f"{model.TIME}__lt"}
    return {columns.get(name, name): value for name, value in filters.items()}


def last_of(writes: Writes, resource: str, record_ids: Collection[int]) -> Writes:
    of_records = writes.order_by().filter(resource=resource, record_id__in=record_ids)
    last = of_records.values("record_id").annotate(last=Max("pk")).values("last")
    return Write.objects.filter(pk__in=last)


def one_per_job(writes: Writes) -> Writes:
    """Return these writes with only the last one of each job."""
    # By the rows at hand: a query for the last writes of all jobs reads the whole table.
    later = writes.order_by().filter(job=OuterRef("job"), pk__gt=OuterRef("pk"))
    return writes.filter(Q(job__isnull=True) | ~Exists(later))


ME = "me"
CREATED_BY_ME = BuiltInView("created", "Entered by me", {"created": ME})


@dataclass(frozen=True)
class EnteredHere(Choice):
    """Choice of the records that the person created from this dashboard."""

    is_local = True
    name: str = "created"
    _: KW_ONLY
    resource: str
    label: str = "Entered"
    choices: Mapping[str, str] = field(default_factory=lambda: {ME: "By me"})

    def row_test(self, value: str, ctx: RequestContext) -> RowTest:
        created = created_by(ctx.person, ctx.workspace).filter(resource=self.resource)
        ids = set(created.values_list("record_id", flat=True) if ctx.person else ())
        return lambda record: record.id in ids


def created_by(person: User | None, workspace: str) -> Writes:
    """Return the writes by which a person has created records, newest first."""
    saved = finished().filter(with_outcome(Write.State.SAVED), person=person, workspace=workspace)
    return saved.filter(operation="create", record_id__isnull=False)
