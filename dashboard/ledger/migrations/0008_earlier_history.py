"""The history of earlier releases: of writes in their rows, of all else as events."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import migrations
from django.db.models import F, Q

from dashboard.former.moving import SealedPlace, moved, number_on
from dashboard.sealed import Unreadable, as_text, from_text, place_of, seal, unseal

AT_A_TIME = 500
FINISHED = ("saved", "not saved", "not sure")
OF_EVENTS = Q(resource__in=("staff", "service")) | Q(operation="export")
EVENT = ("id", "at", "person_id", "who", "owner", "workspace", "resource", "record_id",
         "operation")  # fmt: skip
WRITE = ("person_id", "who", "owner", "workspace", "resource", "record_id", "operation", "job")
HOUSE = 0
CLOSE = timedelta(milliseconds=1)


def take_over(apps: Any, schema_editor: Any) -> None:
    """Copy every row of the former history, each value sealed for its new place."""
    write, event = apps.get_model("ledger", "Write"), apps.get_model("ledger", "Event")
    entries = apps.get_model("audit", "Entry").objects
    write.objects.filter(state="not sure", resolution="found").update(state="saved")
    write.objects.filter(state__in=FINISHED, done_at=None).update(done_at=F("asked_at"))
    for rows in batches(entries.filter(OF_EVENTS)):
        event.objects.bulk_create(map(event_of(event), rows))
    number_on(schema_editor.connection, event)
    for rows in batches(entries.exclude(OF_EVENTS)):
        add_to_writes(apps, rows)
    for rows in batches(write.objects.filter(who="").exclude(person=None).select_related("person")):
        add_without_entry(write, rows)


def batches(rows: Any) -> Iterator[list[Any]]:
    """All rows in the order of their numbers."""
    last = 0
    while found := list(rows.order_by("pk").filter(pk__gt=last)[:AT_A_TIME]):
        yield found
        last = found[-1].pk


def event_of(event: Any) -> Any:
    def made(entry: Any) -> Any:
        of = (entry.workspace, entry.resource, entry.record_id, entry.operation, moment(entry))
        changes = resealed(entry, SealedPlace("history", "ledger_event", "changes", of))
        return event(**{name: getattr(entry, name) for name in EVENT}, changes=changes)

    return made


def resealed(entry: Any, after: SealedPlace) -> str:
    of = (entry.workspace, entry.resource, entry.record_id, entry.operation, moment(entry))
    return moved(entry.content, HOUSE, SealedPlace("audit", "audit_entry", "sealed", of), after)


def moment(entry: Any) -> int:
    return round(entry.at.timestamp() * 1_000_000)


def add_to_writes(apps: Any, entries: list[Any]) -> None:
    """Add entries of the history to their writes; of several of one write the last stays. One
    without a write becomes a write that nobody has to look for.
    """
    write, related = apps.get_model("ledger", "Write"), apps.get_model("ledger", "RelatedRecord")
    begun = [began(entry) for entry in entries]
    writes = write.objects.filter(sent_at__gte=min(begun) - CLOSE, sent_at__lte=max(begun) + CLOSE)
    known = defaultdict(list)
    for row in writes.defer("content", "answer"):
        known[row.person_id, row.resource, row.operation].append(row)
    of_entry = {}
    for entry in entries:
        row = write_of(entry, known[entry.person_id, entry.resource, entry.operation])
        row = row or new_write(write, entry)
        of = (row.workspace, row.token)
        row.changes = resealed(entry, SealedPlace("history", "ledger_write", "changes", of))
        row.who, row.said = entry.who, "" if row.state == "saved" else entry.answer
        of_entry[entry.pk] = row
    found = {row.pk: row for row in of_entry.values() if row.pk}
    write.objects.bulk_update(found.values(), ["who", "changes", "said"])
    write.objects.bulk_create(row for row in of_entry.values() if not row.pk)
    about = apps.get_model("audit", "About").objects.filter(entry__in=list(of_entry))
    refers = {(of_entry[one.entry_id].pk, one.resource, one.record_id) for one in about}
    related.objects.bulk_create(
        related(write_id=pk, resource=resource, record_id=number)
        for pk, resource, number in refers
    )


def began(entry: Any) -> Any:
    """When the write of an entry was sent, to the millisecond."""
    return entry.at - timedelta(seconds=entry.seconds)


def write_of(entry: Any, rows: list[Any]) -> Any:
    """The write that an entry is of: sent at its time, and the most alike of several."""
    close = [row for row in rows if abs(row.sent_at - began(entry)) <= CLOSE]

    def likeness(row: Any) -> tuple[bool, ...]:
        return row.done_at == entry.at, row.record_id == entry.record_id, not row.who

    return max(close, key=likeness, default=None)


def new_write(write: Any, entry: Any) -> Any:
    sent_at = began(entry)
    return write(
        **{name: getattr(entry, name) for name in WRITE},
        token=f"history-{entry.pk}",
        state=entry.outcome,
        resolution="left" if entry.outcome == "not sure" else "",
        content="",
        digest="",
        asked_at=sent_at,
        sent_at=sent_at,
        done_at=entry.at,
    )


def add_without_entry(write: Any, rows: list[Any]) -> None:
    """Fill in what the history shows of writes that it did not have yet."""
    for row in rows:
        row.who = row.person.username
        if row.state in (*FINISHED, "sending"):
            of = (row.workspace, row.token)
            row.changes = seal(
                as_text(changes_of(row)),
                owner=HOUSE,
                purpose="history",
                place=place_of("ledger_write", "changes", *of),
            )
            row.said = said(row)
    write.objects.bulk_update(rows, ["who", "changes", "said"])


def opened(row: Any, column: str) -> dict[str, Any]:
    place = place_of("ledger_write", column, row.workspace, row.token)
    try:
        text = unseal(getattr(row, column), owner=row.person_id, purpose="writes", place=place)
    except Unreadable:
        return {}
    value: dict[str, Any] = from_text(text)
    return value


def changes_of(row: Any) -> dict[str, Any]:
    """The label, and the typed fields before and after."""
    content = opened(row, "content")
    before, body = content.get("before", {}), content.get("body", {})
    names = before if row.operation == "delete" else content.get("typed", list(body))
    label = content.get("label") or opened(row, "answer").get("label") or ""
    changes = {name: (before.get(name, "")[:2000], words(body.get(name))[:2000]) for name in names}
    return {"label": label, "changes": changes}


def said(row: Any) -> str:
    """What the service said of a write that was not saved."""
    if row.state not in ("not saved", "not sure"):
        return ""
    answer = opened(row, "answer")
    if not answer:
        return "no answer was stored"
    kind = answer.get("reason") if row.state == "not sure" else answer.get("error")
    return f"{kind or ''} {answer.get('status') or ''}".strip()[:60]


def words(value: object) -> str:
    """A value of a body as the history writes it."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {words(item)}" for name, item in value.items())
    if isinstance(value, list):
        lines = any(isinstance(item, Mapping) for item in value)
        return ("\n" if lines else ", ").join(map(words, value))
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    return "" if value is None else str(value).strip()


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0007_history"),
        ("audit", "0007_content_of_sealed"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [migrations.RunPython(take_over, migrations.RunPython.noop)]
