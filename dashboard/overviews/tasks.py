"""The tasks of a contact or deal, as far as they are known: the service cannot list them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from dashboard.gateway import TASKS, GatewayError, Page, Record
from dashboard.records.addresses import address
from dashboard.records.context import RequestContext
from dashboard.records.display import values
from dashboard.records.pages.blocks import ROWS, Block, BlockRow, day, late_by
from dashboard.records.pages.failures import describe
from dashboard.records.pages.history_words import CreatedRecord
from dashboard.resources.tasks import STATUS

OPEN_ONES: dict[str, Any] = {"filters": {"status": 0}, "page_size": 100}
NOTE = "The service cannot list the tasks of one contact. Known are those entered here"


@dataclass(frozen=True)
class KnownTasks:
    """Open tasks that were read, by their day; others that were entered here. `note`: of what."""

    read: list[Record]
    entered: list[CreatedRecord]
    note: str


def of_contact(
    answer: Page | GatewayError, contact: int, created: Iterable[CreatedRecord]
) -> KnownTasks:
    """The tasks of a contact among the open ones that were read and those entered here."""
    records = [] if isinstance(answer, GatewayError) else answer.records
    read = sorted((each for each in records if each["cstid"] == contact), key=end_of)
    seen = {each.id for each in read}
    entered = [each for each in created if each.resource == TASKS.name and each.id not in seen]
    if isinstance(answer, GatewayError):
        note = f"{NOTE}. The open ones could not be read: {describe(answer).title.lower()}."
    else:
        total = answer.total_records
        of = f"{len(records):,} of {total:,}" if total is not None else f"{len(records):,}"
        note = f"{NOTE} and those among {of} open tasks."
    return KnownTasks(read, entered, note)


def block(known: KnownTasks, ctx: RequestContext, today: date) -> Block:
    """The block: open tasks, the earliest first, then those entered here."""
    rows = [*(_read_row(each, ctx, today) for each in known.read), *map(_entered, known.entered)]
    return Block(
        "tasks",
        "Tasks",
        count=f"{len(rows):,} we know of" if rows else "",
        empty="None that we know of.",
        rows=tuple(rows[:ROWS]),
        note=known.note,
    )


def end_of(record: Record) -> datetime:
    """When a task is due: its end, else its start; far away if it has neither."""
    found = (record[name] for name in ("end_datetime", "start_datetime"))
    return next((value for value in found if isinstance(value, datetime)), datetime.max)


def _read_row(record: Record, ctx: RequestContext, today: date) -> BlockRow:
    ends = end_of(record).date()
    late = ends < today
    time = late_by((today - ends).days) if late else "" if ends == date.max else day(ends, today)
    name = values.link(address("tasks", record.id), str(record["title"] or record.id))
    return BlockRow(name, STATUS(record, ctx), time, late)


def _entered(created: CreatedRecord) -> BlockRow:
    name = values.link(address("tasks", created.id), created.label.removeprefix("Task "))
    return BlockRow(name, values.muted("entered here"), created.at)
