"""Changing the lists: every change begins a new edition of the workspace's lists."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet

from . import snapshot
from .models import Entry, Sighting

KEPT = (
    "name",
    "retired",
    "parent",
    "price",
    "tax",
    "rate",
    "calling_code",
    "value_type",
    "choices",
)
"""What of an entry may change while its id stays the same."""

Values = Mapping[str, Any]


def entries_of(workspace: str, kind: str) -> QuerySet[Entry]:
    """The entries of one list in order, retired ones included, straight from the database."""
    return Entry.objects.filter(workspace=snapshot.normal(workspace), kind=kind)


def sightings_of(workspace: str) -> QuerySet[Sighting]:
    """The ids of a workspace that wait for a name."""
    return Sighting.objects.filter(workspace=snapshot.normal(workspace))


def put(workspace: str, kind: str, rows: Iterable[Values]) -> None:
    """Add or change entries. Each row has "code" and "name" and any of KEPT; what it leaves out
    stays as it is. New entries go to the end, and wait for a name no longer.
    """
    with _editing(workspace) as key:
        known = {entry.code: entry for entry in entries_of(key, kind)}
        end = _end(key, kind)
        wanted: dict[str, Entry] = {}
        for row in rows:
            old = known.get(row["code"])
            kept = {name: getattr(old, name) for name in KEPT} if old else {}
            place = old.position if old else end + len(wanted)
            fields = {"workspace": key, "kind": kind, "position": place, **kept, **row}
            wanted[row["code"]] = Entry(**fields)
        Entry.objects.bulk_create(
            wanted.values(),
            update_conflicts=True,
            unique_fields=("workspace", "kind", "code"),
            update_fields=KEPT,
            batch_size=500,
        )
        _named(key, kind, wanted)


def change(workspace: str, entry: Entry, values: Values) -> None:
    """Change one entry, its code too if there is another in `values`."""
    with _editing(workspace) as key:
        for name, value in values.items():
            setattr(entry, name, value)
        entry.save()
        _named(key, entry.kind, [entry.code])


def move(workspace: str, entry: Entry, *, up: bool) -> bool:
    """Exchange an entry with its neighbour above or below; False if there is none."""
    with _editing(workspace):
        beside = entries_of(workspace, entry.kind).filter(retired=entry.retired)
        order = list(beside)
        here = order.index(entry)
        there = here - 1 if up else here + 1
        if not 0 <= there < len(order):
            return False
        order[here], order[there] = order[there], order[here]
        for place, one in enumerate(order):
            one.position = place
        Entry.objects.bulk_update(order, ["position"], batch_size=500)
        return True


def retire(workspace: str, entry: Entry, *, back: bool = False) -> None:
    """Offer an entry no longer, or (`back`) again, then at the end."""
    with _editing(workspace) as key:
        entry.retired = not back
        entry.position = _end(key, entry.kind)
        entry.save(update_fields=["retired", "position"])


@contextmanager
def _editing(workspace: str) -> Iterator[str]:
    """A change to the lists of a workspace, of which the normal label is given."""
    with transaction.atomic():
        yield snapshot.normal(workspace)
        snapshot.changed(workspace)
    snapshot.forget(workspace)


def _end(key: str, kind: str) -> int:
    last = entries_of(key, kind).aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


def _named(key: str, kind: str, codes: Iterable[str]) -> None:
    wanted = list(codes)
    for first in range(0, len(wanted), 500):
        some = wanted[first : first + 500]
        Sighting.objects.filter(workspace=key, kind=kind, code__in=some).delete()
