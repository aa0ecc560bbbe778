"""The job of a large export: it reads some pages of the list in each turn and stores their rows."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.http import QueryDict

from dashboard.gateway import Page
from dashboard.jobs import export_reading, export_storage, services
from dashboard.jobs.export_contents import ExportContent, contents_of
from dashboard.jobs.export_reading import Batch
from dashboard.jobs.kinds import JobKind, Turn
from dashboard.jobs.list_reading import delete_later, read_on
from dashboard.jobs.models import Export, Job
from dashboard.jobs.row_results import READ
from dashboard.lists import fetch
from dashboard.lists.query import ListQuery
from dashboard.people.context import RequestContext
from dashboard.people.models import User
from dashboard.people.permissions import EXPORT_RECORDS
from dashboard.reader import listing
from dashboard.reader.sealed_cache import owner_of
from dashboard.schema.registry import RESOURCES

KIND = "export"


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
            params={**params, "query": query.params(query.filters.params_as_of_today())},
            total=first.total_records or 0,
        )
        stored = Export.objects.create(job=job, file_name=name, form_digest=form_digest)
        delete_later(stored)
    return job


def take_turn(turn: Turn) -> bool:
    """Read the next pages; whether all were read."""
    query = _query(turn)
    export = Export.objects.select_related("job").get(job=turn.job)
    content = contents_of(query.resource, query.shown)[turn.params["content"]]
    if not _read_on(turn, export, query, content):
        return False
    read = turn.job.counts.get(READ, 0)
    export.warnings = export_reading.warnings(export, read, query.resource.name)
    export.save(update_fields=["warnings"])
    return True


KINDS = (JobKind(name=KIND, turn=take_turn, permission=EXPORT_RECORDS, result="exports:show"),)


def _query(turn: Turn) -> ListQuery:
    asked = QueryDict(mutable=True)
    asked.update({**turn.params["query"], "size": str(listing.PAGE_SIZE)})
    return ListQuery.read(RESOURCES[turn.job.resource], asked, turn.ctx)


def _read_on(turn: Turn, export: Export, query: ListQuery, content: ExportContent) -> bool:
    pages = fetch.pages(
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
        make=lambda page: export_reading.batch_of(page, query, content, turn.ctx),
        store=lambda batches: _store(export, content, batches),
    )


def _store(export: Export, content: ExportContent, batches: Sequence[Batch]) -> None:
    """Store the rows, the headings before the first ones. Raises django.db.Error."""
    rows = [row for batch in batches for row in batch.rows]
    if export.pages_read == 0:
        rows.insert(0, list(content.headings))
    export_storage.add(export, rows)
    export.gone += sum(batch.gone for batch in batches)
