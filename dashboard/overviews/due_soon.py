"""Reminders of tasks for the script of every page (js/due.js): when the person's own open tasks of
today are due, the toast of one, and the page of the settings.
"""

from datetime import datetime, timedelta
from http import HTTPStatus

from django.http import HttpResponse, JsonResponse
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard.core.templates import page_url
from dashboard.gateway import GatewayError, Record
from dashboard.people.context import RequestContext, page
from dashboard.people.permissions import EDIT_RECORDS, VIEW_RECORDS, permission_required
from dashboard.resources.tasks import OPEN_STATUSES, done_action
from dashboard.schema.resource import Resource
from dashboard.text.dates import format_date

from . import open_tasks

REMINDER_WINDOW = timedelta(hours=2)  # of what a page knows, which asks every few minutes


def moment_of(record: Record) -> datetime | None:
    """Return when a task is due, in the office's time zone; None if it has no time."""
    ends = open_tasks.end_of(record)
    return None if ends == datetime.max else timezone.make_aware(ends)


@require_safe
@page
def list_due(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Return JSON {"due": [[id, ms since 1970], ...]} for the person's own tasks of the next hours;
    none if their user is not known; 204 if the tasks could not be read.
    """
    now, me = timezone.localtime(), open_tasks.own_user_id(ctx)
    if me is None:
        return JsonResponse({"due": []})
    days = {"due_date_from": now.date(), "due_date_to": (now + REMINDER_WINDOW).date()}
    try:
        read = open_tasks.TasksReading(ctx.gateway, assigned_user_id=me, **days).result()
    except GatewayError:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    moments = ((record.id, moment_of(record)) for record in read.tasks)
    due = [
        (number, int(moment.timestamp() * 1000))
        for number, moment in moments
        if moment and now < moment <= now + REMINDER_WINDOW
    ]
    return JsonResponse({"due": due})


@require_safe
@page
def show_due(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Return the toast of one task as it is now; 204 if it is no longer open, no longer due at `at`
    (ms since 1970), or could not be read.
    """
    try:
        record = resource.read(ctx.gateway, record_id)
    except GatewayError:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    moment = moment_of(record)
    is_due = moment and str(int(moment.timestamp() * 1000)) == ctx.params.get("at")
    if not is_due or record["status"] not in OPEN_STATUSES:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    ends = open_tasks.end_of(record)
    today = timezone.localdate()
    context = {
        "url": resource.url(record_id),
        "title": resource.title(record),
        "time": f"{ends:%H:%M}" + ("" if ends.date() == today else f" on {format_date(ends)}"),
        "done": done_action(record, ctx, ctx.params.get("back", "")),
    }
    return ctx.render("overviews/_due.html", context)


@permission_required(VIEW_RECORDS)
@require_safe
@page
def show_reminder_settings(ctx: RequestContext) -> HttpResponse:
    context = {
        "title": "Task reminders",
        "is_known": open_tasks.own_user_id(ctx) is not None,
        "me_url": page_url("setup:me") if ctx.may(EDIT_RECORDS) else "",
    }
    return ctx.render("overviews/task_reminders.html", context)


urlpatterns = [path("", show_reminder_settings, name="task_reminders")]
