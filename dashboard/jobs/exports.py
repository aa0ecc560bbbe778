"""Builds the rows of an export from the pages of a list, and reports gaps.

A slice of the job of a large export reads some pages and stores their rows.
"""

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from django.http import QueryDict

from dashboard.core.sealed import DecryptionError
from dashboard.core.service_name import SERVICE_AT_START
from dashboard.gateway import Page, Record
from dashboard.jobs.export_contents import ExportContent, contents_of
from dashboard.jobs.kinds import JobKind, Slice
from dashboard.jobs.list_reading import read_on
from dashboard.jobs.models import Chunk, Export
from dashboard.jobs.row_results import READ
from dashboard.lists import fetch
from dashboard.lists.query import ListQuery
from dashboard.people.context import RequestContext
from dashboard.people.permissions import EXPORT_RECORDS
from dashboard.reader import listing
from dashboard.schema import titles
from dashboard.schema.money import currencies_of
from dashboard.schema.registry import RESOURCES
from dashboard.tables.cells import Cell, cell_as_json, cell_from_json
from dashboard.tables.writing import CellValue

KIND = "export"
NAMES_TIMEOUT = 20.0  # seconds for the names of the records that a page points to
ENDS_HERE = (
    "The rows from here on are missing: they can no longer be opened. Export the list again."
)

logger = logging.getLogger(__name__)


def rows_of(
    page: Page, query: ListQuery, content: ExportContent, ctx: RequestContext, export: Export
) -> list[list[CellValue]]:
    """Return the rows of a page with resolved references; count records deleted while the list was
    read. Raises GatewayError.
    """
    records: list[Record] = list(page.records)
    if content.reads_each:
        ids = [record.id for record in records]
        records = list(fetch.read_each(ctx.gateway, query.resource, ids))
    names = titles.names_around(ctx, content.parts, records, seconds=NAMES_TIMEOUT)
    if any(part.is_amount for part in content.parts):
        currencies = currencies_of(ctx, query.resource.endpoint, records)
        names = replace(names, currencies=replace(currencies, common=""))
    export.gone += len(page.records) - len(records)
    return [row for record in records for row in content.rows(record, ctx, names)]


def warnings(export: Export, read: int, noun: str) -> list[str]:
    """Return warnings about an export of `read` records; [] if the list did not change."""
    warnings = []
    missing = bool(export.totals) and read + export.unreadable < export.totals[0]
    if missing and not export.is_changed:
        warnings.append(
            f"{SERVICE_AT_START} lists {export.totals[0]:,} {noun} but sent {read:,}. "
            "The rest are missing."
        )
    warnings += export.gaps(noun)
    if export.gone:
        warnings.append(f"Skipped: {export.gone:,} {noun} deleted during the export")
    return warnings


def read_slice(job_slice: Slice) -> bool:
    resource, params = RESOURCES[job_slice.job.resource], QueryDict(mutable=True)
    params.update({**job_slice.params["query"], "size": str(listing.PAGE_SIZE)})
    query = ListQuery.from_params(resource, params, job_slice.ctx)
    content = contents_of(resource, query.shown)[job_slice.params["content"]]
    export = Export.objects.select_related("job").get(job=job_slice.job)
    pages = fetch.pages(
        job_slice.ctx.gateway,
        query,
        begin=export.pages_read,
        # Pages that are read ahead are used in this slice, which long ones would prolong.
        at_once=1 if content.reads_each else listing.MAX_CONCURRENT_CALLS,
        goes_on=lambda: time.monotonic() < job_slice.deadline,
    )
    make = partial(rows_of, query=query, content=content, ctx=job_slice.ctx, export=export)
    if not read_on(job_slice, export, pages, make, partial(store_rows, export, content)):
        return False
    export.warnings = warnings(export, job_slice.job.counts.get(READ, 0), resource.name)
    export.save(update_fields=["warnings"])
    return True


KINDS = (JobKind(name=KIND, run=read_slice, permission=EXPORT_RECORDS),)


def store_rows(
    export: Export, content: ExportContent, pages: Sequence[list[list[CellValue]]]
) -> None:
    rows: list[Sequence[CellValue]] = [] if export.pages_read else [content.headings()]
    rows += chain.from_iterable(pages)
    chunk = Chunk(export=export)
    chunk.content = [["" if cell is None else cell_as_json(cell) for cell in row] for row in rows]
    chunk.save(force_insert=True)


def stored_rows(export: Export) -> Iterator[list[Cell]]:
    """Yield the rows of an export; the last one says if the rest cannot be decrypted."""
    # One chunk at a time, as no query stays open while it is used.
    for pk in list(export.chunks.values_list("pk", flat=True)):
        try:
            rows = export.chunks.get(pk=pk).content
        except (DecryptionError, Chunk.DoesNotExist):  # deleted meanwhile
            logger.exception("%s cannot be opened to its end", export)
            yield [ENDS_HERE]
            return
        yield from ([cell_from_json(cell) for cell in row] for row in rows)
