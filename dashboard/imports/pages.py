"""The page of a file that is to be imported: its columns, and its rows as they will be sent."""

from collections.abc import Callable, Sequence

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRefresh

from dashboard import resources
from dashboard.accounts.permissions import EDIT_RECORDS, EXPORT_RECORDS, permission_required
from dashboard.context import RequestContext, StaffRequest, context_of, workspace_of
from dashboard.declare.resource import Resource
from dashboard.forms.record_form import posted_fields
from dashboard.imports import (
    checking,
    columns,
    file_reading,
    known,
    rendering,
    sending,
    storage,
    undoing,
    unknown,
)
from dashboard.imports.check_turns import TooBusy, check_turn
from dashboard.imports.checking import CheckedRecord
from dashboard.imports.choosing import choose, mend, take_usual, usual_form
from dashboard.imports.file_page import first_page, may_import
from dashboard.imports.models import Import
from dashboard.imports.storage import CREATE, UPDATE, Wishes
from dashboard.imports.stored_table import StoredTable, table_of, ways_of
from dashboard.jobs.views import own_job, refuse_other_workspace

CHANGED = "What would be sent has changed since you looked. Check it, then send it."


@require_http_methods(["GET", "HEAD", "POST"])
def show(request: StaffRequest, pk: int) -> HttpResponse:
    """The columns and the rows. What was chosen is stored; "send" begins the job."""
    found = _own(request, pk)
    ctx, resource = context_of(request), resources.BY_NAME[found.resource]
    if request.method == "POST":
        _take_over(request, found, ctx, resource)
        if request.POST.get("do") != "send":
            return redirect("imports:show", pk)
        now = Import.objects.filter(pk=pk).first()
        if now is None:  # discarded meanwhile
            return redirect(first_page(request.user, resource))
        found = now
    if found.job_id:
        return redirect("jobs:show", found.job_id)
    return _show_or_send(request, ctx, found, resource)


def _show_or_send(
    request: StaffRequest, ctx: RequestContext, found: Import, resource: Resource
) -> HttpResponse:
    """The page of a file that was not sent, or its job once it was sent now."""
    wishes = storage.wishes_of(found)
    table = table_of(found, wishes)
    if not isinstance(table, StoredTable):
        return rendering.show_without_table(request, found, wishes, table)
    if request.htmx:
        return HttpResponseClientRefresh()
    if wishes.fields is None:
        wishes.of_sheet, wishes.fields = table.sheet, _first_fields(found, table, wishes, resource)
    if len(table.rows) > file_reading.most_rows(request.user):
        raise PermissionDenied
    try:
        with check_turn(request.user.pk):
            return _check(request, ctx, found, table, wishes)
    except TooBusy:
        return rendering.show_busy(request, found, resource)


def _first_fields(
    found: Import, table: StoredTable, wishes: Wishes, resource: Resource
) -> dict[str, str]:
    """Where the columns go until the person says so: as in the last such file, else as guessed. Of
    a few pasted cells none is left out.
    """
    fields = columns.guess_fields(table, resource, found.workspace)
    if not wishes.name and len(table.rows) <= file_reading.MOST_TYPED:
        fields = columns.rest_to_notes(fields, resource)
    return {**fields, **storage.last_fields(found, table)} if table.header.value else fields


def _check(
    request: StaffRequest,
    ctx: RequestContext,
    found: Import,
    table: StoredTable,
    wishes: Wishes,
) -> HttpResponse:
    """Check the records, then send or show them."""
    resource = resources.BY_NAME[found.resource]
    index = known.read_index(ctx, resource, fresh=request.method == "POST")
    records = _checked(table, wishes, ctx, resource, index)
    if request.method == "POST":
        return _send(request, ctx, found, wishes, records, index)
    return rendering.show_rows(request, ctx, found, table, wishes, records, index)


@transaction.atomic
def _take_over(
    request: StaffRequest, found: Import, ctx: RequestContext, resource: Resource
) -> None:
    """Store what was posted, unless the file was sent or discarded meanwhile. A file that is to be
    read in another way is read anew.

    Cells are mended only in rows of the table, so that what is stored stays as small as the file.
    """
    locked, posted = storage.lock(found), request.POST
    if locked is None:
        return
    wishes = storage.wishes_of(locked)
    table, before = table_of(locked, wishes), wishes.sheet
    if table is None:  # nothing can be chosen until it is read
        return
    targets = columns.targets_of(resource, locked.workspace)
    choose(wishes, posted, targets, may_update=rendering.may_update(ctx, resource))
    take_usual(wishes, posted, usual_form(resource, ctx, wishes))
    if isinstance(table, StoredTable) and wishes.sheet == before:
        mend(wishes, posted, targets, table)
        for words in unknown.give_numbers(wishes, posted, table, resource, ctx):
            messages.info(request, words)
    storage.store(locked, wishes, table if isinstance(table, StoredTable) else None)
    if isinstance(table, str) or table.ways != ways_of(wishes):
        file_reading.ask(locked)


def _send(
    request: StaffRequest,
    ctx: RequestContext,
    found: Import,
    wishes: Wishes,
    records: Sequence[CheckedRecord],
    index: known.Index,
) -> HttpResponse:
    """Begin the job, unless what would be sent is not what the page has shown."""
    if Import.objects.filter(pk=found.pk).exclude(job=None).exists():  # by another request
        return redirect("imports:show", found.pk)
    if request.POST.get("fingerprint") != checking.fingerprint(records):
        messages.info(request, CHANGED)
        return redirect("imports:show", found.pk)
    job = sending.create_job(
        ctx,
        request.user,
        found,
        checking.to_send(records),
        look_up=not index.is_whole and wishes.known != CREATE,
        update=wishes.known == UPDATE,
    )
    first = first_page(request.user, resources.BY_NAME[found.resource])
    return redirect("jobs:show", job.pk) if job else redirect(first)


@require_POST
def discard(request: StaffRequest, pk: int) -> HttpResponse:
    """Delete a file that was not sent."""
    found = _own(request, pk)
    storage.discard(found)
    return redirect(first_page(request.user, resources.BY_NAME[found.resource]))


@require_POST
def undo(request: StaffRequest, pk: int) -> HttpResponse:
    """Propose to undo the import of a job."""
    done = own_job(request, pk, sending.KIND)
    if refused := refuse_other_workspace(request, done):
        return refused
    ctx, resource = context_of(request), resources.BY_NAME[done.resource]
    job = undoing.propose_undo(ctx, done)
    if job is None and not ctx.gateway.offers(resource.endpoint, "delete"):
        messages.info(request, f"The service has no way to delete {resource.name}.")
        return redirect("jobs:show", pk)
    if job is None:
        messages.info(request, "There is nothing to undo.")
        return redirect("jobs:show", pk)
    return redirect("bulk:show", job.pk)


def import_urls() -> tuple[list[URLPattern], str]:
    """The pages of a file."""
    pages: dict[str, tuple[str, Callable[..., HttpResponseBase], str]] = {
        "show": ("<int:pk>/", show, EDIT_RECORDS),
        "discard": ("<int:pk>/discard/", discard, EDIT_RECORDS),
        "undo": ("undo/<int:pk>/", undo, EXPORT_RECORDS),
    }
    urls = [
        path(route, permission_required(permission)(view), name=name)
        for name, (route, view, permission) in pages.items()
    ]
    return urls, "imports"


def _own(request: StaffRequest, pk: int) -> Import:
    """A file of the person in the workspace of their keys: its rows are for no other one."""
    mine = storage.of_person(request.user, workspace_of(request.user))
    found: Import = get_object_or_404(mine, pk=pk)
    if found.resource not in resources.BY_NAME:
        raise Http404
    if not may_import(request.user, resources.BY_NAME[found.resource]):
        raise PermissionDenied
    return found


def _checked(
    table: StoredTable,
    wishes: Wishes,
    ctx: RequestContext,
    resource: Resource,
    index: known.Index,
) -> Sequence[CheckedRecord]:
    begun = posted_fields(usual_form(resource, ctx, wishes))
    form = resource.create_form(begun, ctx=ctx)
    return checking.check_records(table, wishes, resource, form, begun, index)
