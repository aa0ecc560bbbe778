"""The tasks of a contact or deal, as far as they are known: the service cannot list them."""

from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from datetime import date, datetime
from functools import partial

from django.utils import timezone

from dashboard.context import RequestContext
from dashboard.display import values
from dashboard.display.cells import NO_NAMES
from dashboard.gateway import CONTACTS, TASKS, Gateway, GatewayError, Page, Record, side_by_side
from dashboard.markup import address
from dashboard.pages.blocks import ROWS, Block, BlockRow, failed
from dashboard.pages.history_words import CreatedRecord, Happening, TimelineEntry
from dashboard.reader import listing
from dashboard.resources.tasks import OPEN_STATUSES, STATUS, done_action, end_of
from dashboard.service_name import SERVICE_AT_START
from dashboard.text.dates import day, format_datetime, late_by

PAGE_SIZE = 100
NOTE = f"Only tasks entered here are listed. {SERVICE_AT_START} did not send the others."


def begin_open(gateway: Gateway, **filters: object) -> "list[Future[Page | GatewayError]]":
    """Begin to read the open tasks, the first page of each status."""
    return [
        side_by_side.start(
            partial(gateway.list, TASKS, filters={"status": each, **filters}, page_size=PAGE_SIZE)
        )
        for each in OPEN_STATUSES
    ]


def read_open(gateway: Gateway, **filters: object) -> tuple[list[Page], list[Record]]:
    """Those pages, and their tasks by when they end. Raises GatewayError."""
    pages = [listing.result_of(call.result()) for call in begin_open(gateway, **filters)]
    return pages, sorted((record for page in pages for record in page.records), key=end_of)


def block(
    answers: Sequence[Page | GatewayError],
    contact: int,
    created: Iterable[CreatedRecord],
    ctx: RequestContext,
    today: date,
) -> Block:
    """The tasks of a contact: the open ones among those that were read, the earliest first, then
    those that were entered here.
    """
    block = Block("tasks", "Tasks", empty="No open tasks.")
    pages = [each for each in answers if isinstance(each, Page)]
    records = [record for page in pages for record in page.records]
    read = sorted((each for each in records if each["cstid"] == contact), key=end_of)
    seen = {each.id for each in read}
    entered = [each for each in created if each.resource == TASKS.name and each.id not in seen]
    rows = [*(_read_row(each, contact, ctx, today) for each in read), *map(_entered, entered)]
    known = replace(block, rows=tuple(rows[:ROWS]), count=f"{len(rows):,}" if rows else "")
    error = next((each for each in answers if isinstance(each, GatewayError)), None)
    if error:
        return replace(failed(known, error), note=NOTE)
    totals = [page.total_records for page in pages if page.total_records is not None]
    total = sum(totals) if len(totals) == len(pages) else None
    checked = f"all {total:,}" if total == len(records) > 1 else f"{len(records):,}"
    of = f" of {total:,}" if total and total > len(records) else ""
    looked_through = f"{checked}{of} open task{'s' * ((total or len(records)) != 1)}"
    if not rows:
        words = f"{looked_through[:1].upper()}{looked_through[1:]} checked."
        return replace(known, note=words if records else "")
    return replace(known, note=f"Found among {looked_through}.")


def happenings(
    answers: Sequence[Page | GatewayError], contact: int, ctx: RequestContext
) -> list[Happening]:
    """The tasks of a contact that were read, for the stream of what was done for them."""
    pages = [each for each in answers if isinstance(each, Page)]
    records = [each for page in pages for each in page.records if each["cstid"] == contact]
    return [_happening(each, ctx) for each in records if end_of(each) != datetime.max]


def _happening(record: Record, ctx: RequestContext) -> Happening:
    at = end_of(record)
    words = f"Task {record['title'] or record.id}, {STATUS(record, ctx, NO_NAMES).words.lower()}"
    url = address(TASKS.name, record.id)
    entry = TimelineEntry(words, url, format_datetime(at), "")
    return Happening(TASKS.name, record.id, timezone.make_aware(at), entry)


def _read_row(record: Record, contact: int, ctx: RequestContext, today: date) -> BlockRow:
    ends = end_of(record).date()
    late = ends < today
    time = late_by((today - ends).days) if late else "" if ends == date.max else day(ends, today)
    name = values.link(address("tasks", record.id), str(record["title"] or record.id))
    tick = done_action(record, ctx, address(CONTACTS.name, contact))
    return BlockRow(name, STATUS(record, ctx, NO_NAMES), time, late, tick=tick)


def _entered(created: CreatedRecord) -> BlockRow:
    name = values.link(address("tasks", created.id), created.label.removeprefix("Task "))
    return BlockRow(name, values.muted("entered here"), created.at)
