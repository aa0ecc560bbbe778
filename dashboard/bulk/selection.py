"""The records of a selection, with what they hold as it is made."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.http import QueryDict

from dashboard.gateway import Record, Unreadable, whole_number
from dashboard.records.context import RequestContext
from dashboard.records.lists import paging
from dashboard.records.lists.fetching import fetch
from dashboard.records.lists.query import ListQuery
from dashboard.records.resource import Resource
from dashboard.records.writes import reconciliation

MOST = 5_000  # records of one selection
MOST_TICKED = 200  # of them by their ids, of which each may take a call; a page of a list has fewer


class TooMany(Exception):  # noqa: N818 (what it is, without Error)
    """The list has more records than a selection may hold; `total`: how many."""

    def __init__(self, total: int) -> None:
        super().__init__()
        self.total = total


@dataclass(frozen=True)
class Selection:
    """What was chosen in a list: records by their ids, or all that match its address `params`."""

    ids: tuple[int, ...]
    all_that_match: bool
    params: str

    @classmethod
    def read(cls, data: QueryDict) -> "Selection":
        """The selection that a list or a page of ours has posted."""
        words = [word for text in data.getlist("chosen") for word in text.split(",")]
        ids = (whole_number(word.strip()) for word in words)
        found = tuple(dict.fromkeys(number for number in ids if number))
        return cls(found, bool(data.get("all")), data.get("list", ""))

    @property
    def is_empty(self) -> bool:
        return not (self.ids or self.all_that_match)


class Found(NamedTuple):
    """The records of a selection. `note`: what the list did not look through."""

    records: list[Record]
    note: str = ""


def records_of(ctx: RequestContext, resource: Resource, chosen: Selection) -> Found:
    """The records as they are now; those that are gone are left out. Raises GatewayError, or
    TooMany.
    """
    query = ListQuery.read(resource, QueryDict(chosen.params), ctx.style)
    if chosen.all_that_match:
        return _all_pages(ctx, query)
    rows = {record.id: record for record in fetch(ctx, query).page.records}
    missing = [number for number in chosen.ids if number not in rows]
    rows |= {record.id: record for record in paging.read_each(ctx.gateway, resource, missing)}
    return Found([rows[number] for number in chosen.ids if number in rows])


def content_of(resource: Resource, record: Record) -> dict[str, Any]:
    """A selected record as the content of a job's row."""
    return {
        "of": resource.name,
        "id": record.id,
        "label": resource.title(record),
        "seen": values_seen(resource, record),
    }


def values_seen(resource: Resource, record: Record) -> dict[str, str]:
    """What a record holds, as texts, to tell later whether it has changed."""
    names = [field.name for field in resource.endpoint.fields]
    readable = [name for name in names if name in record and _is_readable(record, name)]
    return reconciliation.values_as_text(record, readable)


def changed_since(fresh: Record, seen: Mapping[str, str]) -> list[str]:
    """The names of fields that differ from what was seen; one that cannot be read does not."""
    names = [name for name in seen if name in fresh and _is_readable(fresh, name)]
    now = reconciliation.values_as_text(fresh, names)
    return [name for name in names if now[name] != seen[name]]


def _is_readable(record: Record, name: str) -> bool:
    return not isinstance(record.get(name), Unreadable)


def _all_pages(ctx: RequestContext, query: ListQuery) -> Found:
    """Every record of a list, each once, though the list may shift while it is read."""
    query, first, note = paging.begin(ctx, query)
    _check_number(first.total_records or 0)
    found: dict[int, Record] = {}
    for page in paging.pages(ctx.gateway, query, first=first):
        found |= {record.id: record for record in page.records}
        _check_number(len(found))
    return Found(list(found.values()), note)


def _check_number(number: int) -> None:
    if number > MOST:
        raise TooMany(number)
