"""The page of a task, and the button that completes one where the service can change tasks."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from dashboard.context import RequestContext, page
from dashboard.declare.resource import Resource
from dashboard.display import titles
from dashboard.gateway import GatewayError, OutcomeUnknown
from dashboard.pages import unresolved
from dashboard.pages.rendering import render_record
from dashboard.reader import lookups
from dashboard.resources.tasks import COMPLETED, done_action
from dashboard.writes import writer
from dashboard.writes.failures import describe


@page
def show(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """A task, and while it is open the button that completes it."""
    record = lookups.read_for_page(
        ctx.gateway, resource.endpoint, record_id, after_save=ctx.follows_a_save
    )
    ctx = titles.fill(ctx, resource.details, [record])
    action = done_action(record, ctx, resource.url(record_id))
    done = action if action and action.url else None
    return render_record(
        ctx,
        resource,
        record,
        template="resources/tasks/detail.html",
        details_lead=True,
        done=done,
        main_action=done is not None,
    )


@require_POST
@page
def complete(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Set a task to Completed, unless somebody else has changed its status meanwhile."""
    back = redirect(_page_before(ctx, resource))
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


def _page_before(ctx: RequestContext, resource: Resource) -> str:
    """The address of the page that the button was pressed on, the agenda for any other site's."""
    back = ctx.request.POST.get("back", "")
    # redirect() takes a text without a slash for the name of a page.
    safe = back.startswith("/") and url_has_allowed_host_and_scheme(back, {ctx.request.get_host()})
    return back if safe else resource.url(page="agenda")
