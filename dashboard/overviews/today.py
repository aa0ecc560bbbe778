"""The page Today."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard.office import setup_steps
from dashboard.people.context import RequestContext, page_without_keys
from dashboard.people.permissions import EDIT_RECORDS, VIEW_RECORDS, permission_required
from dashboard.records.panels import gather, name_records, summarise_failures

from .today_panels import LEFT, RIGHT, TODAY_PANELS, TOP


@require_safe
@permission_required(VIEW_RECORDS)
@page_without_keys
def show_today(ctx: RequestContext) -> HttpResponse:
    """What is due, who owes, and what was left undone. A panel that fails says so by itself.

    Somebody without keys is led to the welcome, an administrator of a workspace that is not set up
    to the setup page.
    """
    if not ctx.workspace:
        return redirect("credentials:connect")
    if setup_steps.is_first(ctx.user):
        return redirect("setup:page")
    ctx.open_keys()
    panels = gather(TODAY_PANELS, ctx)
    names = name_records(ctx, panels)
    of_service = [panel for panel in panels if panel.area]
    context = {
        "today": timezone.localdate(),
        "is_empty": all(panel.is_empty for panel in of_service),
        "sides": {
            side: [panel for panel in panels if panel.side == side] for side in (TOP, LEFT, RIGHT)
        },
        "trouble": summarise_failures(of_service),
        "late": names.late_url,
        "may_edit": ctx.may(EDIT_RECORDS),
    }
    return ctx.render("overviews/today.html", context)


app_name = "today"
urlpatterns = [path("", show_today, name="home")]
