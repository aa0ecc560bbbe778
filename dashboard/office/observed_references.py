"""Fills the lists from records: names that the service gives, ids without one, suggestions."""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from django.db import Error, transaction

from dashboard.office import reference_lists
from dashboard.office.editing import drop_unnamed, note_currency
from dashboard.office.kinds import FREE_TEXT_KINDS, KEYED_BY_NAME, Kind, code_of
from dashboard.office.models import ListEntry, UnnamedReference
from dashboard.office.reference_lists import CachedLists

logger = logging.getLogger(__name__)

MAX_WORDS = 500  # of one list of suggestions or of custom fields
PLACES = Decimal("0.000001")
LARGEST = {"price": Decimal(10**14), "rate": Decimal(1000)}  # what the columns hold

ByCode = dict[tuple[str, str], "SeenReference"]


class SeenReference(NamedTuple):
    """An id or a word that was found in a record.

    `url` and `place` are the address and the name of the record's page; `name` is the name that the
    service itself gave for the id, "" if it gave none; `details` are further fields of a ListEntry.
    """

    kind: str
    value: object
    url: str
    place: str
    name: str = ""
    details: Mapping[str, Any] | None = None


def record_references(workspace: str, seen: Iterable[SeenReference]) -> None:
    """Record the new references. Called as a page is read: without new ones it makes no query, and
    a failure is logged and not raised. A reference that failed is recorded the next time.
    """
    lists = reference_lists.get_cached_lists(workspace)
    if lists is reference_lists.NOTHING:
        return
    every, new = list(seen), ByCode()
    try:
        new = _new(lists, every)
        _note_currencies(workspace, every)
        if not new:
            return
        with transaction.atomic():
            _write(workspace, lists, new)
    except Error as error:
        logger.info("not recorded now: %s new ids (%s)", len(new), type(error).__name__)
        return
    reference_lists.forget(workspace)


def _note_currencies(workspace: str, seen: Iterable[SeenReference]) -> None:
    for one in seen:
        if one.kind == Kind.CURRENCY:
            note_currency(workspace, one.value, one.url)


def record_all(workspace: str, seen: Iterable[SeenReference]) -> None:
    """Record references of many records at once, each with the name that most records give. Update
    the names that the service gave before and the pipelines of stages.
    """
    lists = reference_lists.get_cached_lists(workspace)
    every = _most_common(seen)
    with transaction.atomic():
        _write(workspace, lists, _new(lists, every))
        _update_known(workspace, lists, every)
        _note_currencies(workspace, every)
    reference_lists.forget(workspace)


def _most_common(seen: Iterable[SeenReference]) -> list[SeenReference]:
    groups: dict[tuple[str, str], list[SeenReference]] = {}
    for one in seen:
        groups.setdefault((one.kind, code_of(one.kind, one.value)), []).append(one)
    return [_with_usual_name(group) for group in groups.values()]


def _with_usual_name(group: list[SeenReference]) -> SeenReference:
    names = Counter(one.name for one in group if one.name)
    usual = names.most_common(1)[0][0] if names else ""
    return next(one for one in group if one.name == usual)


def _new(lists: CachedLists, seen: Iterable[SeenReference]) -> ByCode:
    """Return references without an entry; an id recorded without a name only if it is named now."""
    new: ByCode = {}
    for one in seen:
        key = (one.kind, code_of(one.kind, one.value))
        known = lists.of(one.kind)
        full = one.kind in KEYED_BY_NAME and len(known) >= MAX_WORDS
        if key[1] and not full and key[1] not in known and (one.name or key not in lists.unnamed):
            before = new.setdefault(key, one)
            new[key] = one if one.name and not before.name else before
    return new


def _write(workspace: str, lists: CachedLists, new: ByCode) -> None:
    named: list[ListEntry] = []
    unnamed: list[UnnamedReference] = []
    for (kind, code), one in new.items():
        own = {"workspace": workspace, "kind": kind, "code": code}
        end = len(lists.of(kind)) + len(named)
        if kind in FREE_TEXT_KINDS:
            words = " ".join(str(one.value).split())[:200]
            named.append(ListEntry(**own, position=end, name=words))
        elif one.name:
            named.append(ListEntry(**own, position=end, **_service_fields(one)))
            drop_unnamed(workspace, kind, [code])
        else:
            where = {"url": one.url[:200], "place": one.place[:100], "parent": _parent(one)}
            unnamed.append(UnnamedReference(**own, **where))
    ListEntry.objects.bulk_create(named, ignore_conflicts=True, batch_size=500)
    UnnamedReference.objects.bulk_create(unnamed, ignore_conflicts=True, batch_size=500)
    reference_lists.begin_version(workspace)


def _update_known(workspace: str, lists: CachedLists, seen: Iterable[SeenReference]) -> None:
    for one in seen:
        code, fields, parent = code_of(one.kind, one.value), _service_fields(one), _parent(one)
        own = {"workspace": workspace, "kind": one.kind, "code": code}
        entry = lists.of(one.kind).get(code)
        if entry and entry.is_from_service and one.name and entry.name != fields["name"]:
            ListEntry.objects.filter(**own, is_from_service=True).update(**fields)
        known = entry.parent if entry else lists.unnamed.get((one.kind, code))
        if one.kind == Kind.STAGE and parent and known == "":
            model = ListEntry if entry else UnnamedReference
            model.objects.filter(**own, parent="").update(parent=parent)


def _parent(one: SeenReference) -> str:
    return str((one.details or {}).get("parent") or "")[:200]


def _service_fields(one: SeenReference) -> dict[str, Any]:
    values: dict[str, Any] = {"name": " ".join(one.name.split())[:200], "is_from_service": True}
    for field, value in (one.details or {}).items():
        if not isinstance(value, Decimal):
            values[field] = str(value)[:200]
        elif 0 <= value < LARGEST[field]:
            values[field] = value.quantize(PLACES)
    return values
