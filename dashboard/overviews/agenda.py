"""Open tasks of a week by day, and those that are overdue."""

from datetime import date, timedelta
from typing import NamedTuple

from django.http import HttpResponse
from django.utils import timezone

from dashboard.core.templates import address
from dashboard.gateway import CONTACTS
from dashboard.people.context import RequestContext, page
from dashboard.people.permissions import EDIT_RECORDS
from dashboard.records.panels import PanelRow
from dashboard.schema import cells, titles
from dashboard.schema.resource import Resource
from dashboard.text.dates import format_date, iso_date, short_date, time_span

from . import open_tasks as tasks
from .open_tasks import OpenTasks, end_of, own_user_id

WEEK = timedelta(7)
FURTHEST = timedelta(366)  # from today to the first day of a week
SATURDAY = 5
CONTACT = cells.pointer(CONTACTS, "cstid")


class AgendaDay(NamedTuple):
    title: str
    tasks: list[PanelRow]
    is_today: bool


@page
def show_agenda(ctx: RequestContext, resource: Resource) -> HttpResponse:
    today = timezone.localdate()
    first = min(max(iso_date(ctx.params.get("from", "")) or today, today), today + FURTHEST)
    days = [first + timedelta(number) for number in range(WEEK.days)]
    own = own_user_id(ctx)
    whose = {"assigned_user_id": own} if own and ctx.params.get("mine") else {}
    read = tasks.TasksReading(ctx.gateway, due_date_to=days[-1], **whose).result()
    contacts = [each for each in resource.columns if each.name == "cstid"]
    names = titles.names_around(ctx, contacts, read.tasks)
    back = ctx.request.get_full_path()
    overdue = list[PanelRow]()
    by_day: dict[date, list[PanelRow]] = {day: [] for day in days}
    for record in read.tasks:
        ends = end_of(record)
        row = tasks.task_row(ctx, record, back, subject=CONTACT(record, ctx, names))
        if row.late:
            overdue.append(row)
        elif ends.date() in by_day:
            times = time_span(record["start_datetime"], ends) or f"{ends:%H:%M}"
            by_day[ends.date()].append(row._replace(due_text=times))
    earlier = max(first - WEEK, today)
    context = {
        "resource": resource,
        "list_url": resource.url(),
        "new_url": resource.url(page="create") if ctx.user.has_perm(EDIT_RECORDS) else "",
        "week": f"{short_date(first, days[-1])} to {format_date(days[-1])}",
        "today_url": _url(today, is_mine=bool(whose)),
        "earlier_url": _url(earlier, is_mine=bool(whose)) if earlier < first else "",
        "later_url": _url(first + WEEK, is_mine=bool(whose)) if first < today + FURTHEST else "",
        "views": [
            ("Everyone", _url(first, is_mine=False), not whose),
            ("Mine", _url(first, is_mine=True), bool(whose)),
        ]
        if own
        else [],
        "overdue": overdue,
        "days": [
            AgendaDay(_title(day, first, today), by_day[day], day == today)
            for day in days
            if by_day[day] or day == today or day.weekday() < SATURDAY
        ],
        "note": _partial(read),
        "late": names.late_url,
    }
    return ctx.render("overviews/agenda.html", context)


def _url(first: date, *, is_mine: bool) -> str:
    query = {"from": first.isoformat(), **({"mine": "1"} if is_mine else {})}
    return address("tasks", page="agenda", query=query)


def _title(day: date, first: date, today: date) -> str:
    """Return such as Mon 30, or Tue 1 Dec at the start of a month."""
    month = f" {day:%b}" if day.day == 1 and day != first else ""
    return f"{'Today · ' if day == today else ''}{day:%a} {day.day}{month}"


def _partial(read: OpenTasks) -> str:
    count, total = len(read.tasks), read.total
    if total is None:
        return f"Showing the first {count:,} open tasks"
    return f"{count:,} of {total:,} open tasks shown" if count < total else ""
