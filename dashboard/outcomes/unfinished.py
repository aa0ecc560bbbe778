"""The pages Unfinished (drafts, copies of deleted records) and Not sure, with their actions."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from dashboard.core.templates import undo_tags
from dashboard.gateway import GatewayError, whole_number
from dashboard.people import permissions as may
from dashboard.people.context import RequestContext, page, page_without_keys
from dashboard.people.keys import owner_of
from dashboard.people.models import Workspace
from dashboard.records import delete, form_drafts, presence
from dashboard.writes import deletions, draft_entries, drafts
from dashboard.writes.models import Draft
from dashboard.writes.sidebar import sidebar_of

FORMS_ON_A_PAGE, COPIES_ON_A_PAGE = 50, 50
MAX_DISCARDED = 200  # that are listed; the others follow once these are gone
STATUS = {
    "size": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "saved": HTTPStatus.GONE,
    "database": HTTPStatus.SERVICE_UNAVAILABLE,
}


@require_safe
@page_without_keys
def list_unfinished(ctx: RequestContext) -> HttpResponse:
    """List the drafts and deleted copies of the workspace, and count the unresolved writes."""
    unsaved = drafts.open_drafts(ctx.user)
    here = unsaved.filter(workspace=ctx.workspace)
    forms = Paginator(here, FORMS_ON_A_PAGE).get_page(ctx.params.get("page"))
    entries = draft_entries.draft_entries(forms, ctx)
    discarded = drafts.discarded_drafts(ctx.user).filter(workspace=ctx.workspace)[:MAX_DISCARDED]
    others = unsaved.exclude(workspace=ctx.workspace)
    elsewhere = Workspace.objects.filter(pk__in=others.values("workspace"))
    context = {
        "page": forms,
        **_copies(ctx),
        "unfinished": [one for one in entries if not one["is_old"]],
        "old": [one for one in entries if one["is_old"]],
        "discarded": draft_entries.draft_entries(discarded, ctx),
        "elsewhere": sorted(elsewhere.values_list("name", flat=True)),
        "unsure": sidebar_of(ctx.request).unresolved,
    }
    return ctx.render("outcomes/unfinished.html", context)


def _copies(ctx: RequestContext) -> dict[str, Any]:
    owner = _owner(ctx)
    gone = deletions.copies(ctx.user, owner).filter(workspace=ctx.workspace)
    copies = Paginator(gone, COPIES_ON_A_PAGE).get_page(ctx.params.get("deleted"))
    return {
        "copies": copies,
        "deleted": [deletions.list_entry(copy) for copy in copies],
    }


def _owner(ctx: RequestContext) -> str:
    try:
        return owner_of(ctx.gateway) if ctx.workspace else ""
    except GatewayError:  # the keys cannot be opened
        return ""


@require_POST
@page
def discard_draft(ctx: RequestContext, pk: int) -> HttpResponse:
    get_object_or_404(own := Draft.objects.filter(pk=pk, person=ctx.user))
    drafts.discard(own)
    fields = [("listed", str(pk)), ("back", _back(ctx))]
    undo = undo_tags(reverse("unfinished:put_back"), fields)
    if ctx.request.htmx:
        message = {"message": "Discarded.", "level_tag": "info", "extra_tags": undo}
        return ctx.render("outcomes/_discarded.html", {"message": message})
    messages.info(ctx.request, "Discarded.", extra_tags=undo)
    return redirect(_back(ctx))


@require_POST
@page
def discard_all(ctx: RequestContext) -> HttpResponse:
    """Discard the drafts that the page listed, but none that was stored since."""
    own_drafts = drafts.open_drafts(ctx.user).filter(workspace=ctx.workspace)
    listed = own_drafts.filter(pk__in=_listed(ctx))
    discarded = list(listed.values_list("pk", flat=True))
    drafts.discard(listed)
    fields = [("listed", str(pk)) for pk in discarded]
    undo = undo_tags(reverse("unfinished:put_back"), fields)
    messages.info(ctx.request, f"{len(discarded)} discarded.", extra_tags=undo)
    return redirect(_back(ctx))


@require_POST
@page
def restore_drafts(ctx: RequestContext) -> HttpResponse:
    drafts.restore(Draft.objects.filter(person=ctx.user, pk__in=_listed(ctx)))
    return redirect(_back(ctx))


def _listed(ctx: RequestContext) -> list[int]:
    texts = ctx.request.POST.getlist("listed")
    return [number for text in texts if (number := whole_number(text))]


@csrf_exempt  # the signed mark in the form authenticates the request
@login_not_required
@require_POST
def store_typed(request: HttpRequest) -> HttpResponse:
    """Store what was typed. Return JSON {"kept": whether there was text}, or {"why": reason,
    "draft": a new mark, if needed} with an error status. The signed mark identifies the draft, so
    that text is stored even if the session has just ended, which is answered with 401.
    """
    mark = form_drafts.posted_mark(request)
    if mark is None:
        return JsonResponse({"why": "mark"}, status=HTTPStatus.BAD_REQUEST)
    if request.user.pk != mark.person:
        form_drafts.store_for_owner(mark, request.POST)
        return JsonResponse({"why": "session"}, status=HTTPStatus.UNAUTHORIZED)
    try:
        kept = drafts.store_draft(mark, request.POST)
    except drafts.NotStored as why:
        status = STATUS.get(why.reason, HTTPStatus.CONFLICT)
        answer = {"why": why.reason}
        if why.reason == "saved":
            answer["draft"] = drafts.with_new_token(mark).signed()
        return JsonResponse(answer, status=status)
    return JsonResponse({"kept": kept})


def _back(ctx: RequestContext) -> str:
    return ctx.local_url(ctx.request.POST.get("back", ""), reverse("unfinished:list"))


app_name = "unfinished"
_for_editors = may.permission_required(may.EDIT_RECORDS)
_for_viewers = may.permission_required(may.VIEW_RECORDS)
urlpatterns = [
    path("deletions/<int:pk>/keep/", _for_editors(delete.cancel_deletion), name="keep_record"),
    # What became of a deletion is also for those whose role was taken meanwhile.
    path(
        "deletions/<int:pk>/outcome/",
        _for_viewers(delete.show_outcome),
        name="deletion_outcome",
    ),
    path("deletions/<int:pk>/close/", _for_viewers(delete.close_message), name="close_deletion"),
    path("", _for_editors(list_unfinished), name="list"),
    path("keep/", store_typed, name="keep"),
    path("open/", _for_editors(presence.heartbeat), name="presence"),
    path("discard/", _for_editors(discard_all), name="discard_all"),
    path("put-back/", _for_editors(restore_drafts), name="put_back"),
    path("<int:pk>/discard/", _for_editors(discard_draft), name="discard"),
]
