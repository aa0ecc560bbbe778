"""Makes the rows of an export of the pages of a list, and says what is missing."""

from dataclasses import replace
from typing import NamedTuple

from dashboard.core.service_name import SERVICE_AT_START
from dashboard.gateway import Page, Record
from dashboard.jobs.export_contents import ExportContent
from dashboard.jobs.models import Export
from dashboard.lists import fetch
from dashboard.lists.query import ListQuery
from dashboard.people.context import RequestContext
from dashboard.schema import titles
from dashboard.schema.money import currencies_of
from dashboard.tables.writing import Written

NAMES_WAIT = 20.0  # seconds for the names of the records that a page points to


class Batch(NamedTuple):
    """The rows of one page of a list. `gone`: records that were deleted while it was read."""

    rows: list[list[Written]]
    gone: int


def batch_of(page: Page, query: ListQuery, content: ExportContent, ctx: RequestContext) -> Batch:
    """The rows of a page, with the names of other records. Raises GatewayError."""
    records: list[Record] = list(page.records)
    if content.reads_each:
        ids = [record.id for record in records]
        records = list(fetch.read_each(ctx.gateway, query.resource, ids))
    names = titles.names_around(ctx, content.parts, records, seconds=NAMES_WAIT)
    if any(part.is_amount for part in content.parts):
        currencies = currencies_of(ctx, query.resource.endpoint, records)
        names = replace(names, currencies=replace(currencies, common=""))
    return Batch(
        rows=[row for record in records for row in content.rows(record, ctx, names)],
        gone=len(page.records) - len(records),
    )


def warnings(export: Export, read: int, noun: str) -> list[str]:
    """What is wrong with an export of so many records that were read, in sentences; [] if the list
    stood still.
    """
    warnings = []
    missing = bool(export.totals) and read + export.unreadable < export.totals[0]
    if missing and not export.is_changed:
        warnings.append(
            f"{SERVICE_AT_START} says {export.totals[0]:,} {noun}, and gave {read:,}. "
            "The others are missing."
        )
    warnings += export.gaps(noun)
    if export.gone:
        warnings.append(f"{export.gone:,} {noun} were deleted while this was read: left out.")
    return warnings
