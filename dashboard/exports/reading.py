"""Makes the rows of an export of the pages of a list, and notices that the list changes."""

from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from django.utils import timezone

from dashboard.exports.contents import Content
from dashboard.exports.models import Export
from dashboard.gateway import Gateway, Missing, Page, Record, side_by_side
from dashboard.reader import listing, lookups
from dashboard.records.context import RequestContext
from dashboard.records.display import titles
from dashboard.records.lists.query import ListQuery
from dashboard.tables.writing import Written
from dashboard.text import date_ranges

PARTS = 16
NAMES_WAIT = 20.0  # seconds for the names of the records that a page points to


class Batch(NamedTuple):
    """The rows of one page of a list. `gone`: records that were deleted while it was read."""

    rows: list[list[Written]]
    ids: list[int]
    gone: int


def as_of_today(query: ListQuery) -> ListQuery:
    """The query with the days of its filters in place of words such as this month."""
    found = dict(query.filters)
    for item in query.resource.filters:
        value = found.get(item.name, "") if item.is_span else ""
        if span := date_ranges.read(value, timezone.localdate(), query.style):
            ends = ("" if day is None else day.isoformat() for day in (span.first, span.last))
            found[item.name] = date_ranges.between(*ends)
    return replace(query, filters=found)


def batch_of(page: Page, query: ListQuery, content: Content, ctx: RequestContext) -> Batch:
    """The rows of a page, with the names of other records. Raises GatewayError."""
    records: list[Record] = list(page.records)
    if content.reads_each:
        records = [record for record in _read_each(ctx.gateway, query, page) if record]
    pointers = list(dict.fromkeys(titles.pointers(content.parts, records)))
    if pointers:
        names = lookups.load_titles(ctx.gateway, pointers, seconds=NAMES_WAIT)
        ctx = replace(ctx, titles=names)
    return Batch(
        rows=[row for record in records for row in content.rows(record, ctx)],
        ids=[record.id for record in page.records],
        gone=len(page.records) - len(records),
    )


def _read_each(gateway: Gateway, query: ListQuery, page: Page) -> Iterator[Record | None]:
    """Each record of a page as read by its id; None for one that is gone."""
    read: Callable[..., Record] = query.resource.read
    calls = (partial(read, gateway, record.id) for record in page.records)
    for found in side_by_side.stream(calls, listing.AT_ONCE):
        yield None if isinstance(found, Missing) else listing.result_of(found)


def warnings(export: Export, ids: "array[int]", noun: str) -> list[str]:
    """What is wrong with an export of these records, in sentences; [] if the list stood still."""
    found = []
    twice, different = _repeated(ids)
    if twice:
        found.append(
            f"The list changed while it was read: {len(twice):,} {noun} stand in it twice "
            f"(ID {', '.join(twice[:20])}{', …' if len(twice) > 20 else ''})."
        )
    missing = bool(export.totals) and different + export.unreadable < export.totals[0]
    if missing and not export.is_changed:
        found.append(
            f"The service says {export.totals[0]:,} {noun}, and gave "
            f"{different:,} different ones. The others are missing."
        )
    found += export.gaps(noun)
    if export.gone:
        found.append(f"{export.gone:,} {noun} were deleted while this was read: left out.")
    return found


def _repeated(ids: "array[int]") -> tuple[list[str], int]:
    """The ids that were seen more than once, and how many different ones there are."""
    twice: dict[str, None] = {}
    different, previous = 0, 0
    for part in range(PARTS):  # sorted by parts, as each int takes 32 bytes
        for number in sorted(one for one in ids if one % PARTS == part):
            if number == previous:
                twice[str(number)] = None
            different += number != previous
            previous = number
    return list(twice), different
