"""The records of a selection, with their values when it is made."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from dashboard.gateway import Record, Unreadable, whole_number
from dashboard.lists import fetch as fetching
from dashboard.lists.fetch import fetch
from dashboard.lists.query import ListQuery
from dashboard.people.context import RequestContext
from dashboard.schema.resource import Resource
from dashboard.writes import reconciliation

MAX_SELECTED = 5_000  # records of one selection
# Of these by their ids, of which each may take a call; a page of a list has fewer.
MAX_SELECTED_BY_ID = 200
NOTHING_CHOSEN = "Select records first, or all that match."
ALL_GONE = "The selected records no longer exist."
TOO_MANY = "{:,} match. Narrow the list to 5,000 or fewer."
TOO_MANY_TICKED = (
    f"{{:,}} were selected; at most {MAX_SELECTED_BY_ID} can be. Select all that match instead."
)


class NotPossible(Exception):  # noqa: N818 (what it is, without Error)
    """The selection cannot be used; the message is the reason."""


@dataclass(frozen=True)
class Selection:
    """Records chosen in a list: by their ids, or all that match its query `params`."""

    resource: Resource
    ids: tuple[int, ...]
    all_that_match: bool
    params: str

    @classmethod
    def from_form(cls, resource: Resource, data: QueryDict) -> "Selection":
        words = [word for text in data.getlist("chosen") for word in text.split(",")]
        ids = (whole_number(word.strip()) for word in words)
        chosen = tuple(dict.fromkeys(number for number in ids if number))
        return cls(resource, chosen, bool(data.get("all")), data.get("list", ""))

    def __str__(self) -> str:
        name = self.resource.name
        many = f"all {name} that match" if self.all_that_match else ""
        return many or self.resource.counted(len(self.ids))

    @property
    def list_url(self) -> str:
        return f"{self.resource.url()}?{self.params}" if self.params else self.resource.url()

    def check(self) -> None:
        """Raise NotPossible for an empty or too large selection, before anything is read."""
        if not (self.ids or self.all_that_match):
            raise NotPossible(NOTHING_CHOSEN)
        if len(self.ids) > MAX_SELECTED_BY_ID:
            raise NotPossible(TOO_MANY_TICKED.format(len(self.ids)))

    def records(self, ctx: RequestContext) -> tuple[list[Record], str]:
        """Return the records that still exist, and a note on what the list did not search. Raises
        GatewayError, or NotPossible.
        """
        query, note = ListQuery.from_params(self.resource, QueryDict(self.params), ctx), ""
        if self.all_that_match and query.filters.errors:
            raise NotPossible(" ".join(query.filters.problems))
        if self.all_that_match:
            records, note = _all_pages(ctx, query)
        else:
            rows = {record.id: record for record in fetch(ctx, query).page.records}
            missing = [number for number in self.ids if number not in rows]
            rows |= {
                record.id: record
                for record in fetching.read_each(ctx.gateway, self.resource, missing)
            }
            records = [rows[number] for number in self.ids if number in rows]
        if not records:
            raise NotPossible(ALL_GONE)
        return records, note


def content_of(resource: Resource, record: Record) -> dict[str, Any]:
    return {
        "of": resource.name,
        "id": record.id,
        "label": resource.title(record),
        "seen": values_seen(resource, record),
    }


def values_seen(resource: Resource, record: Record) -> dict[str, str]:
    return _readable_values(record, [field.name for field in resource.endpoint.fields])


def changed_since(fresh: Record, seen: Mapping[str, str]) -> list[str]:
    """Return the names of fields that differ from `seen`; unreadable fields do not count."""
    now = _readable_values(fresh, seen)
    return [name for name in now if now[name] != seen[name]]


def _readable_values(record: Record, names: Iterable[str]) -> dict[str, str]:
    given = [name for name in names if name in record]
    readable = [name for name in given if not isinstance(record[name], Unreadable)]
    return reconciliation.values_as_text(record, readable)


def _all_pages(ctx: RequestContext, query: ListQuery) -> tuple[list[Record], str]:
    """Return every record of a list once, even if the list shifts while it is read."""
    fetched = fetching.read_first_page(ctx, query)
    _check_number(fetched.page.total_records or 0)
    records: dict[int, Record] = {}
    for page in fetching.pages(ctx.gateway, fetched.query, first=fetched.page):
        records |= {record.id: record for record in page.records}
        _check_number(len(records))
    return list(records.values()), fetched.note


def _check_number(number: int) -> None:
    if number > MAX_SELECTED:
        raise NotPossible(TOO_MANY.format(number))
