"""Editing the lists. Every change gives the lists of the workspace a new version."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet

from . import reference_lists
from .kinds import Kind
from .models import ListEntry, UnnamedReference

CHANGEABLE = (
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
"""The fields of an entry that may change while its id stays the same."""

Values = Mapping[str, Any]


def entries_of(workspace: str, kind: str) -> QuerySet[ListEntry]:
    """Return the entries in order, retired ones included, straight from the database."""
    return ListEntry.objects.filter(workspace=workspace, kind=kind)


def unnamed_of(workspace: str) -> QuerySet[UnnamedReference]:
    return UnnamedReference.objects.filter(workspace=workspace)


def save_entries(workspace: str, kind: str, rows: Iterable[Values]) -> None:
    """Add or change entries by code. Each row has "code", "name" and any of CHANGEABLE; missing
    fields keep their values. New entries go to the end of the list, and their ids are no longer
    unnamed. A name given here takes precedence over one from the service.
    """
    with _editing(workspace):
        known = {entry.code: entry for entry in entries_of(workspace, kind)}
        end = _end(workspace, kind)
        entries: dict[str, ListEntry] = {}
        for row in rows:
            old = known.get(row["code"])
            kept = {name: getattr(old, name) for name in CHANGEABLE} if old else {}
            place = old.position if old else end + len(entries)
            fields = {"workspace": workspace, "kind": kind, "position": place, **kept, **row}
            entries[row["code"]] = ListEntry(**fields)
        ListEntry.objects.bulk_create(
            entries.values(),
            update_conflicts=True,
            unique_fields=("workspace", "kind", "code"),
            update_fields=(*CHANGEABLE, "is_from_service"),
            batch_size=500,
        )
        drop_unnamed(workspace, kind, entries)


def change(workspace: str, entry: ListEntry, values: Values) -> None:
    """Change an entry, and its code where `values` has another one."""
    with _editing(workspace):
        for name, value in values.items():
            setattr(entry, name, value)
        entry.is_from_service = False
        entry.save(update_fields=[*values, "is_from_service"])
        drop_unnamed(workspace, entry.kind, [entry.code])


def move(workspace: str, entry: ListEntry, *, up: bool) -> bool:
    """Exchange an entry with its neighbour above or below. Return False if it has none."""
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
        ListEntry.objects.bulk_update(order, ["position"], batch_size=500)
        return True


def retire(workspace: str, entry: ListEntry, *, back: bool = False) -> None:
    """Stop offering an entry; with `back` offer it again, at the end of the list."""
    with _editing(workspace):
        entry.retired = not back
        entry.position = _end(workspace, entry.kind)
        entry.save(update_fields=["retired", "position"])


def set_only_currency(workspace: str, code: str) -> None:
    """Set the currency of all deals and documents, which has a name; "" if they differ."""
    with _editing(workspace):
        currencies = entries_of(workspace, Kind.CURRENCY)
        currencies.exclude(is_only=False, not_only="").update(is_only=False, not_only="")
        currencies.filter(code=code).update(is_only=True)


def note_currency(workspace: str, code: object, url: str) -> None:
    """End the promise of a single currency if the record on this page has another one."""
    if reference_lists.is_foreign(workspace, code):
        with _editing(workspace):
            only = entries_of(workspace, Kind.CURRENCY).filter(is_only=True)
            only.update(is_only=False, not_only=url[:200])


@contextmanager
def _editing(workspace: str) -> Iterator[None]:
    with transaction.atomic():
        yield
        reference_lists.begin_version(workspace)
    reference_lists.forget(workspace)


def _end(workspace: str, kind: str) -> int:
    last = entries_of(workspace, kind).aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


def drop_unnamed(workspace: str, kind: str, codes: Iterable[str]) -> None:
    listed = list(codes)
    for first in range(0, len(listed), 500):
        some = listed[first : first + 500]
        UnnamedReference.objects.filter(workspace=workspace, kind=kind, code__in=some).delete()
