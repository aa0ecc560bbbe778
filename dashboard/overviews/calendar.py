"""The page of a person's own settings for reminders of tasks."""

from django.http import HttpResponse
from django.urls import path
from django.views.decorators.http import require_safe

from dashboard.accounts.permissions import EDIT_RECORDS, VIEW_RECORDS, permission_required
from dashboard.context import RequestContext, page
from dashboard.markup import page_url

from .due_soon import me_of


@require_safe
@permission_required(VIEW_RECORDS)
@page
def settings(ctx: RequestContext) -> HttpResponse:
    """Whose tasks the reminders are of, and whether the browser shows them outside of its pages."""
    context = {
        "title": "Reminders of tasks",
        "is_known": me_of(ctx) is not None,
        "me_url": page_url("setup:me") if ctx.may(EDIT_RECORDS) else "",
    }
    return ctx.render("overviews/calendar.html", context)


urls = ([path("", settings, name="settings")], "calendar")
