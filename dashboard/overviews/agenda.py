"""Open tasks by day, and the button that completes one where the service can change tasks."""

from collections.abc import Iterable
from datetime import date, timedelta
from functools import partial
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from dashboard.accounts.permissions import EDIT_RECORDS
from dashboard.context import RequestContext, page
from dashboard.declare.resource import Resource
from dashboard.display import cells, titles, values
from dashboard.display.values import DisplayValue
from dashboard.gateway import (
    CONTACTS,
    TASKS,
    GatewayError,
    OutcomeUnknown,
    Page,
    Record,
    side_by_side,
)
from dashboard.pages import unresolved
from dashboard.pages.blocks import RowAction, day, late_by
from dashboard.resources.tasks import OPEN_STATUSES, done_action, end_of
from dashboard.writes import writer
from dashboard.writes.failures import describe

from . import tasks

AHEAD = 14  # days
COMPLETED = 2
CONTACT = cells.pointer(CONTACTS, "cstid")


class AgendaTask(NamedTuple):
    """One open task, and what completes it."""

    name: DisplayValue
    about: DisplayValue
    time: str
    done: RowAction


class AgendaDay(NamedTuple):
    """The tasks of one day, or all late ones."""

    title: str
    tasks: list[AgendaTask]
    is_late: bool = False


@page
def show(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """The open tasks that are late or due within two weeks, by day."""
    today = timezone.localdate()
    due = {"due_date_to": today + timedelta(AHEAD)}
    calls = [tasks.open_ones(status) for status in OPEN_STATUSES]
    for call in calls:
        call["filters"] |= due
    pages = side_by_side.run([partial(ctx.gateway.list, TASKS, **call) for call in calls])
    for answer in pages:
        if isinstance(answer, GatewayError):
            raise answer
    answered = [answer for answer in pages if isinstance(answer, Page)]
    records = sorted((each for answer in answered for each in answer.records), key=end_of)
    pointing = titles.pointers([each for each in resource.columns if each.name == "cstid"], records)
    ctx = titles.name(ctx, pointing)
    may = ctx.user.has_perm(EDIT_RECORDS) and ctx.gateway.offers(TASKS, "update")
    context = {
        "resource": resource,
        "list_url": resource.url(),
        "new_url": resource.url(page="create") if ctx.user.has_perm(EDIT_RECORDS) else "",
        "days": _by_day(records, resource, ctx, today),
        "may_complete": may,
        "note": _partial(answered),
        "late": ctx.late,
    }
    return ctx.render("overviews/agenda.html", context)


@require_POST
@page
def complete(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Set a task to Completed, unless somebody else has changed its status meanwhile."""
    is_today = ctx.request.POST.get("back") == "today"
    back = redirect("today:home" if is_today else resource.url(page="agenda"))
    token = ctx.request.POST.get("token", "")
    try:
        words = _complete(ctx, resource, record_id, token)
    except OutcomeUnknown:
        return redirect(unresolved.address_of(token))
    except GatewayError as error:
        failure = describe(error)
        messages.error(ctx.request, f"The task was not changed. {failure.title}. {failure.text}")
        return back
    (messages.success if words.endswith("is done.") else messages.warning)(ctx.request, words)
    return back


def _complete(ctx: RequestContext, resource: Resource, record_id: int, token: str) -> str:
    """What came of it, in words. Raises GatewayError."""
    body = {"status": COMPLETED}
    one: dict[str, Any] = {"ctx": ctx, "resource": resource, "record_id": record_id}
    with writer.lock_for_form(**one, token=token, typed=body) as lock:
        if not lock:
            return "The task is done."
        fresh = resource.read(ctx.gateway, record_id)
        title, status = resource.title(fresh), fresh["status"]
        if str(status) != ctx.request.POST.get("status"):
            badge = next(each for each in resource.badges if each.name == "status")
            now = badge.value(fresh, ctx).words
            return f"{title} was not changed: its status is now {now}."
        writer.update(**one, body=body, token=token, label=title, fresh=fresh, lock=lock)
    return f"{title} is done."


def _by_day(
    records: Iterable[Record], resource: Resource, ctx: RequestContext, today: date
) -> list[AgendaDay]:
    days: dict[date, AgendaDay] = {}
    for record in records:
        ends = end_of(record).date()
        late = ends < today
        words = day(ends, today)
        title = "Late" if late else words[:1].upper() + words[1:]
        group = days.setdefault(date.min if late else ends, AgendaDay(title, [], late))
        group.tasks.append(_task(record, resource, ctx, today))
    return list(days.values())


def _task(record: Record, resource: Resource, ctx: RequestContext, today: date) -> AgendaTask:
    ends = end_of(record)
    late = (today - ends.date()).days
    return AgendaTask(
        values.link(resource.url(record.id), resource.title(record)),
        CONTACT(record, ctx),
        late_by(late) if late > 0 else f"{ends:%H:%M}",
        done_action(record),
    )


def _partial(pages: list[Page]) -> str:
    """How many tasks were read, where that are not all."""
    read = sum(len(page.records) for page in pages)
    totals = [page.total_records for page in pages if page.total_records is not None]
    if len(totals) < len(pages):
        return f"{read:,} open tasks were read; there may be more."
    return f"{read:,} of {sum(totals):,} open tasks were read." if read < sum(totals) else ""
