"""Open tasks by day."""

from collections.abc import Iterable
from datetime import date, timedelta
from typing import NamedTuple

from django.http import HttpResponse
from django.utils import timezone

from dashboard.gateway import CONTACTS, Record
from dashboard.people.context import RequestContext, page
from dashboard.people.permissions import EDIT_RECORDS
from dashboard.records.panels import PanelRow
from dashboard.schema import cells, titles
from dashboard.schema.cells import Names
from dashboard.schema.resource import Resource
from dashboard.text.dates import relative_day, time_span

from . import open_tasks as tasks
from .open_tasks import OpenTasks, end_of

AGENDA_DAYS = 14  # days
CONTACT = cells.pointer(CONTACTS, "cstid")


class AgendaDay(NamedTuple):
    """The tasks of one day, or all late ones."""

    title: str
    tasks: list[PanelRow]
    is_late: bool = False


@page
def show_agenda(ctx: RequestContext, resource: Resource) -> HttpResponse:
    today = timezone.localdate()
    read = tasks.TasksReading(ctx.gateway, due_date_to=today + timedelta(AGENDA_DAYS)).result()
    contacts = [each for each in resource.columns if each.name == "cstid"]
    names = titles.names_around(ctx, contacts, read.tasks)
    context = {
        "resource": resource,
        "list_url": resource.url(),
        "new_url": resource.url(page="create") if ctx.user.has_perm(EDIT_RECORDS) else "",
        "days": _by_day(read.tasks, resource, ctx, names, today),
        "note": _partial(read),
        "late": names.late_url,
    }
    return ctx.render("overviews/agenda.html", context)


def _by_day(
    records: Iterable[Record], resource: Resource, ctx: RequestContext, names: Names, today: date
) -> list[AgendaDay]:
    days, back = dict[date, AgendaDay](), resource.url(page="agenda")
    for record in records:
        ends = end_of(record)
        words = relative_day(ends.date(), today)
        row = tasks.task_row(ctx, record, back, subject=CONTACT(record, ctx, names))
        title = "Late" if row.late else words[:1].upper() + words[1:]
        place = date.min if row.late else ends.date()
        group = days.setdefault(place, AgendaDay(title, [], row.late))
        times = time_span(record["start_datetime"], ends) or f"{ends:%H:%M}"
        group.tasks.append(row if row.late else row._replace(due_text=times))
    return list(days.values())


def _partial(read: OpenTasks) -> str:
    """How many tasks were read, unless that is all of them."""
    count, total = len(read.tasks), read.total
    if total is None:
        return f"{count:,} open tasks were read; there may be more."
    return f"{count:,} of {total:,} open tasks were read." if count < total else ""
