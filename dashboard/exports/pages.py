"""The page that exports a list as its address says: which fields, in which format."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from dashboard.accounts.permissions import EXPORT_RECORDS
from dashboard.audit import services as audit
from dashboard.audit.models import Entry
from dashboard.exports import files, reading
from dashboard.exports.contents import Content, contents_of
from dashboard.exports.forms import ExportForm
from dashboard.gateway import Page as ListPage
from dashboard.outbox.models import Submission
from dashboard.records.context import RequestContext, StaffRequest, context_of
from dashboard.records.lists.query import ListQuery
from dashboard.records.lists.table import chips
from dashboard.records.parsing.dates import format_datetime
from dashboard.records.resource import Page, Resource
from dashboard.records.writes.writer import owner_of

MOST_AT_ONCE = 1_000  # rows of a file that is made while the person waits
MOST_READ_AT_ONCE = 200  # records that are read one by one meanwhile


@require_http_methods(["GET", "HEAD", "POST"])
def export(request: StaffRequest, resource: Resource) -> HttpResponse:
    """The form; sent, it is answered with the file."""
    ctx, contents = context_of(request), contents_of(resource)
    asked = ListQuery.read(resource, request.GET, ctx.style)
    query, first, note = reading.begin(ctx.gateway, asked)
    form = ExportForm(request.POST or None, contents=contents)
    if request.method != "POST" or not form.is_valid():
        return _page(request, ctx, query, first, form)
    content, kind = contents[form.cleaned_data["content"]], form.cleaned_data["form"]
    note_export(ctx, resource, f"{counted(resource, first)}, {files.FORMATS[kind]}")
    return _file(request, ctx, query, first, content, kind, note)


def pages_of(resource: Resource) -> dict[str, Page]:
    """The page of a resource."""
    return {"export": Page(route="export/", view=export, permission=EXPORT_RECORDS)}


def counted(resource: Resource, first: ListPage) -> str:
    """How many records there are, as far as the service says."""
    if first.total_records is None:
        return resource.name
    noun = resource.singular if first.total_records == 1 else resource.name
    return f"{first.total_records:,} {noun}"


def note_export(ctx: RequestContext, resource: Resource, label: str) -> None:
    """Add the export to the history, before the first record leaves. Raises django.db.Error."""
    entry = Entry(
        person=ctx.person,
        who=ctx.person.get_username() if ctx.person else "",
        owner=owner_of(ctx.gateway),
        workspace=ctx.workspace,
        resource=resource.name,
        operation="export",
        outcome=Submission.State.SAVED,
        seconds=0,
    )
    audit.write(entry, label=label, changes={})


def opening_notes(ctx: RequestContext, query: ListQuery, content: Content, note: str) -> list[str]:
    """What a file says about itself: when, whose, of which list."""
    who = ctx.person.get_username() if ctx.person else ""
    shown = [chip.label for chip in chips(query, ctx)]
    found = [
        f"{query.resource.label}, read on {format_datetime(timezone.now())} by {who}.",
        f"Workspace: {ctx.workspace}." if ctx.workspace else "",
        f"Only: {'; '.join(shown)}." if shown else "",
        f"Fields: {content.label.lower()}.",
        note,
    ]
    return [words for words in found if words]


def _page(
    request: StaffRequest,
    ctx: RequestContext,
    query: ListQuery,
    first: ListPage,
    form: ExportForm,
) -> HttpResponse:
    context = {
        "title": f"Export {query.resource.name}",
        "resource": query.resource,
        "list_url": query.url(),
        "count": counted(query.resource, first),
        "shown": [chip.label for chip in chips(query, ctx)],
        "form": form,
    }
    return render(request, "exports/export.html", context, status=422 if form.is_bound else 200)


def _file(
    request: StaffRequest,
    ctx: RequestContext,
    query: ListQuery,
    first: ListPage,
    content: Content,
    form: str,
    note: str,
) -> HttpResponse:
    """A small file, read as a whole before the answer begins."""
    watch, rows = reading.Watch(), []
    for page in reading.all_pages(ctx.gateway, query, first):
        batch = reading.batch_of(page, query, content, ctx)
        rows += batch.rows
        watch.see(batch.ids, batch.total, batch.unreadable, batch.gone)
    warnings = watch.warnings(query.resource.name)
    for words in warnings:
        messages.warning(request, words)
    notes = [*opening_notes(ctx, query, content, note), *warnings]
    body = files.file_bytes(form, content.headings, rows, notes, ctx.style)
    name = files.file_name(query.resource.name, form, timezone.localdate())
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(body, content_type=files.TYPES[form], headers=headers)
