"""The job that makes a large file: it reads some pages of the list in each turn.

Rows are stored as they stand in the file, a piece at a time, while further pages are read. The last
turn joins those of XLSX in one file.
"""

import tempfile
import time
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.db import transaction
from django.http import QueryDict

from dashboard import resources
from dashboard.accounts.models import User
from dashboard.accounts.permissions import EXPORT_RECORDS
from dashboard.exports import files, reading, storage
from dashboard.exports.contents import Content, contents_of
from dashboard.exports.models import Export
from dashboard.exports.reading import Batch
from dashboard.gateway import Page
from dashboard.jobs import leases, services
from dashboard.jobs.kinds import JobKind, Turn
from dashboard.jobs.list_reading import read_on
from dashboard.jobs.models import Job
from dashboard.reader import listing
from dashboard.reader.owner import owner_of
from dashboard.records.context import RequestContext
from dashboard.records.lists import paging
from dashboard.records.lists.query import ListQuery
from dashboard.tables.sheets import Sheet, write_xlsx
from dashboard.tables.writing import write_csv

KIND = "export"
RENEWED = 20  # pieces of a file that are joined until the lease is renewed
CHUNK = 100_000  # bytes of a piece


def create(
    ctx: RequestContext,
    person: User,
    query: ListQuery,
    first: Page,
    params: Mapping[str, Any],
    name: str,
    form_digest: str | None = None,
) -> Job:
    """Store and begin the job of an export. Raises django.db.Error, of which IntegrityError if
    there is one of this form already.

    `query`: as the service answers it, `first`: its first page. `params`: "content", "form" and
    "notes", the opening ones. `name`: of the file.
    """
    with transaction.atomic():
        job = services.create(
            person=person,
            owner=owner_of(ctx.gateway),
            workspace=ctx.workspace,
            kind=KIND,
            title=f"Export {query.resource.name}",
            resource=query.resource.name,
            params={**params, "query": query.as_of_today().params()},
            total=first.total_records or 0,
        )
        stored = Export.objects.create(job=job, file_name=name, form_digest=form_digest)
        storage.delete_later(stored)
    return job


def take_turn(turn: Turn) -> bool:
    """Read the next pages, or make the file once all were read; whether it is finished."""
    query = _query(turn)
    export = Export.objects.select_related("job").get(job=turn.job)
    content = contents_of(query.resource, query.shown)[turn.params["content"]]
    if not _read_on(turn, export, query, content):
        return False
    ids = array("q")
    for piece in export.pieces.only("ids").iterator():
        ids.extend(piece.record_ids)
    export.warnings = reading.warnings(export, ids, query.resource.name)
    if turn.params["form"] == files.XLSX:
        _make_xlsx(turn, export)
    export.save(update_fields=["warnings"])
    return True


KINDS = (JobKind(name=KIND, turn=take_turn, permission=EXPORT_RECORDS, result="exports:show"),)


def _query(turn: Turn) -> ListQuery:
    asked = QueryDict(mutable=True)
    asked.update({**turn.params["query"], "size": str(listing.PAGE_SIZE)})
    return ListQuery.read(resources.BY_NAME[turn.job.resource], asked, turn.ctx.style)


def _read_on(turn: Turn, export: Export, query: ListQuery, content: Content) -> bool:
    """Read pages until the turn ends; whether the list was read to its end."""
    pages = paging.pages(
        turn.ctx.gateway,
        query,
        begin=export.pages_read,
        # Pages that are read ahead are used in this turn, which long ones would prolong.
        at_once=1 if content.reads_each else listing.AT_ONCE,
        goes_on=lambda: time.monotonic() < turn.ends,
    )
    return read_on(
        turn,
        export,
        pages,
        make=lambda page: reading.batch_of(page, query, content, turn.ctx),
        store=lambda batches: _store(turn, export, content, batches),
    )


def _store(turn: Turn, export: Export, content: Content, batches: Sequence[Batch]) -> None:
    """Store the rows as they stand in the file. Raises django.db.Error."""
    rows = [row for batch in batches for row in batch.rows]
    ids = array("q", [number for batch in batches for number in batch.ids]).tobytes()
    export.gone += sum(batch.gone for batch in batches)
    is_begun = export.pages_read > 0
    if turn.params["form"] == files.XLSX:
        sheet = Sheet(**export.sheet)
        headings = "" if is_begun else sheet.headings(content.headings)
        storage.add_rows(export, headings + sheet.xml(rows), ids)
        export.sheet = vars(sheet)
        return
    style = files.text_format(turn.params["form"], turn.ctx.style)
    if is_begun:
        style = replace(style, byte_order_mark=False)
    else:
        rows = [list(content.headings), *rows]
    storage.add_text(export, b"".join(write_csv(rows, style)).decode(), ids)


def _make_xlsx(turn: Turn, export: Export) -> None:
    """Make the file from the stored rows, and store it in their place."""
    sheet, style = Sheet(**export.sheet), turn.ctx.style
    notes = [*turn.params["notes"], *export.warnings, *files.cut_note(sheet)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export.xlsx"
        parts = _leased(turn.job, storage.stored_rows(export))
        write_xlsx(path, sheet, parts, notes=notes, order=style.order)
        with transaction.atomic(), path.open("rb") as file:
            leases.renew(turn.job)
            export.pieces.all().delete()
            while chunk := file.read(CHUNK):
                storage.add_bytes(export, chunk)


def _leased(job: Job, parts: Iterable[str]) -> Iterator[str]:
    """The parts, while the lease of the turn is renewed."""
    for number, part in enumerate(parts):
        if number % RENEWED == 0:
            leases.renew(job)
        yield part
