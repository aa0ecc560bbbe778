"""Open tasks by day."""

from collections.abc import Iterable
from datetime import date, timedelta
from typing import NamedTuple

from django.http import HttpResponse
from django.utils import timezone

from dashboard.accounts.permissions import EDIT_RECORDS
from dashboard.context import RequestContext, page
from dashboard.declare.resource import Resource
from dashboard.display import cells, titles, values
from dashboard.display.cells import Names
from dashboard.gateway import CONTACTS, Page, Record
from dashboard.pages.blocks import BlockRow
from dashboard.resources.tasks import done_action, end_of
from dashboard.text.dates import day, late_by

from . import tasks

AHEAD = 14  # days
CONTACT = cells.pointer(CONTACTS, "cstid")


class AgendaDay(NamedTuple):
    """The tasks of one day, or all late ones."""

    title: str
    tasks: list[BlockRow]
    is_late: bool = False


@page
def show(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """The open tasks that are late or due within two weeks, by day."""
    today = timezone.localdate()
    pages, records = tasks.read_open(ctx.gateway, due_date_to=today + timedelta(AHEAD))
    pointing = [each for each in resource.columns if each.name == "cstid"]
    names = titles.names_around(ctx, pointing, records)
    context = {
        "resource": resource,
        "list_url": resource.url(),
        "new_url": resource.url(page="create") if ctx.user.has_perm(EDIT_RECORDS) else "",
        "days": _by_day(records, resource, ctx, names, today),
        "note": _partial(pages),
        "late": names.late_url,
    }
    return ctx.render("overviews/agenda.html", context)


def _by_day(
    records: Iterable[Record], resource: Resource, ctx: RequestContext, names: Names, today: date
) -> list[AgendaDay]:
    days: dict[date, AgendaDay] = {}
    for record in records:
        ends = end_of(record).date()
        late = ends < today
        words = day(ends, today)
        title = "Late" if late else words[:1].upper() + words[1:]
        group = days.setdefault(date.min if late else ends, AgendaDay(title, [], late))
        group.tasks.append(_task(record, resource, ctx, names, today))
    return list(days.values())


def _task(
    record: Record, resource: Resource, ctx: RequestContext, names: Names, today: date
) -> BlockRow:
    ends = end_of(record)
    late = (today - ends.date()).days
    return BlockRow(
        values.link(resource.url(record.id), resource.title(record)),
        CONTACT(record, ctx, names),
        late_by(late) if late > 0 else f"{ends:%H:%M}",
        tick=done_action(record, ctx, resource.url(page="agenda")),
    )


def _partial(pages: list[Page]) -> str:
    """How many tasks were read, where that are not all."""
    read = sum(len(page.records) for page in pages)
    totals = [page.total_records for page in pages if page.total_records is not None]
    if len(totals) < len(pages):
        return f"{read:,} open tasks were read; there may be more."
    return f"{read:,} of {sum(totals):,} open tasks were read." if read < sum(totals) else ""
