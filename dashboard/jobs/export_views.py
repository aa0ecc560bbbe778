"""The page that exports a list: which fields, in which format."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from django import forms
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard.core.sealed import readable
from dashboard.gateway import Page as ListPage
from dashboard.jobs import export_files, exports, services
from dashboard.jobs.export_contents import COLUMNS, ExportContent, contents_of
from dashboard.jobs.export_files import FORMATS, XLSX
from dashboard.jobs.models import Export, Job
from dashboard.lists import fetch
from dashboard.lists.query import ListQuery
from dashboard.lists.table import chips
from dashboard.people.context import RequestContext, page, page_without_keys
from dashboard.people.keys import owner_of
from dashboard.people.permissions import EXPORT_RECORDS, permission_required
from dashboard.schema.resource import Resource, ResourcePage
from dashboard.tables.writing import CellValue
from dashboard.text.dates import format_datetime
from dashboard.writes import history
from dashboard.writes.ledger import new_token
from dashboard.writes.models import Event


class ExportForm(forms.Form):
    use_required_attribute = False

    content = forms.ChoiceField(label="Fields", widget=forms.RadioSelect, initial=COLUMNS)
    form = forms.ChoiceField(
        label="File", widget=forms.RadioSelect, initial=XLSX, choices=tuple(FORMATS.items())
    )

    def __init__(self, *args: Any, contents: dict[str, ExportContent], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(key, content.label) for key, content in contents.items()]
        self.fields["content"].choices = choices  # type: ignore[attr-defined]


MAX_DIRECT_ROWS = 1_000  # rows of a file that is made while the person waits
MAX_DIRECT_READS = 200  # records that are read one by one meanwhile
CANNOT_BE_OPENED = "We can't open this file any more. Export the list again."


@page
def export(ctx: RequestContext, resource: Resource) -> HttpResponse:
    requested = ListQuery.from_params(resource, ctx.params, ctx)
    if requested.filters.errors:
        return redirect(requested.url())  # which says what cannot be used
    contents = contents_of(resource, requested.shown)
    fetched = fetch.read_first_page(ctx, requested)
    query, first = fetched.query, fetched.page
    form = ExportForm(ctx.request.POST if ctx.request.method == "POST" else None, contents=contents)
    if ctx.request.method != "POST" or not form.is_valid():
        return _page(ctx, query, first, form)
    content, kind = contents[form.cleaned_data["content"]], form.cleaned_data["form"]
    notes = opening_notes(ctx, query, content, fetched.note)
    if _is_small(first, content):
        note_export(ctx, resource, _label(query, first, kind))
        return _file(ctx, query, first, content, kind, notes)
    params = {"content": content.key, "form": kind, "notes": notes}
    return redirect("jobs:show", _begin(ctx, query, first, params).pk)


@permission_required(EXPORT_RECORDS)
@require_safe
@page_without_keys
def send_file(ctx: RequestContext, pk: int) -> HttpResponseBase:
    """Return the file of one's own finished export; 404 once it has expired."""
    own_exports = Export.objects.select_related("job")
    export = get_object_or_404(own_exports, job=pk, job__person=ctx.user)
    until = export.available_until
    if until is None or until <= timezone.now():
        raise Http404
    if not (params := readable(export.job, "params")):
        messages.error(ctx.request, CANNOT_BE_OPENED)
        return redirect("jobs:show", pk)
    ctx.open_keys()
    form, notes = params["form"], [*params["notes"], *export.warnings]
    rows = exports.stored_rows(export)
    is_asked_for = ctx.request.method == "GET"  # a file is not written for its headers alone
    chunks = export_files.file_chunks(form, rows, notes, ctx.style) if is_asked_for else []
    return StreamingHttpResponse(
        chunks, content_type=export_files.TYPES[form], headers=_named(export.file_name)
    )


def pages_of(resource: Resource) -> dict[str, ResourcePage]:
    return {"export": ResourcePage("export/", export, EXPORT_RECORDS)}


def _is_small(first: ListPage, content: ExportContent) -> bool:
    """Return True if the person can wait for the file. A list read as a whole is small."""
    if first.page_size >= fetch.WHOLE_LIST:
        return True
    most = MAX_DIRECT_READS if content.reads_each else MAX_DIRECT_ROWS
    if first.total_records is None or first.total_records > most:
        return False
    # A full page that tells its own rows as the total may begin a list of any length.
    return first.is_last or first.total_records > len(first.records)


def note_export(ctx: RequestContext, resource: Resource, label: str) -> None:
    """Add the export to the history, before any record is sent. Raises django.db.Error."""
    event = Event(
        person=ctx.person,
        owner=owner_of(ctx.gateway),
        workspace=ctx.workspace,
        resource=resource.name,
        operation=history.EXPORT,
    )
    history.add(event, label=label, changes={})


def opening_notes(
    ctx: RequestContext, query: ListQuery, content: ExportContent, note: str
) -> list[str]:
    filters = [chip.label for chip in chips(query, ctx)]
    who, workspace = ctx.user.get_username(), ctx.settings.name
    notes = [
        f"{query.resource.label}, read on {format_datetime(timezone.now())} by {who}.",
        f"Workspace: {workspace}." if workspace else "",
        f"Only: {'; '.join(filters)}." if filters else "",
        f"Fields: {content.label.lower()}.",
        note,
    ]
    return [words for words in notes if words]


def _begin(ctx: RequestContext, query: ListQuery, first: ListPage, params: dict[str, Any]) -> Job:
    """Return the job of a large file; for a form that is sent twice, the first one. `first`: the
    first page. `params`: "content", "form" and the opening "notes".
    """
    digest = _digest(ctx)
    same_form = Export.objects.select_related("job").filter(form_digest=digest or "")
    if export := same_form.first():
        return export.job
    name = export_files.file_name(query.resource.name, params["form"], timezone.localdate())
    try:
        with transaction.atomic():
            note_export(ctx, query.resource, _label(query, first, params["form"]))
            job = services.create(
                ctx,
                kind=exports.KIND,
                title=f"Export {query.resource.name}",
                resource=query.resource.name,
                params={**params, "query": query.params(query.filters.params_as_of_today())},
                total=first.total_records or 0,
            )
            Export.objects.create(job=job, file_name=name, form_digest=digest)
            return job
    except IntegrityError:
        return same_form.get().job


def _digest(ctx: RequestContext) -> str | None:
    """Return a digest that is equal for a repeated form; None without a token."""
    posted = ctx.request.POST
    text = f"{ctx.user.pk} {ctx.request.get_full_path()} {posted.urlencode()}"
    return sha256(text.encode()).hexdigest() if posted.get("token") else None


def _label(query: ListQuery, first: ListPage, form: str) -> str:
    return f"{query.resource.counted(first.total_records)}, {export_files.FORMATS[form]}"


def _page(ctx: RequestContext, query: ListQuery, first: ListPage, form: ExportForm) -> HttpResponse:
    context = {
        "title": f"Export {query.resource.name}",
        "resource": query.resource,
        "list_url": query.url(),
        "count": query.resource.counted(first.total_records),
        "shown": [chip.label for chip in chips(query, ctx)],
        "form": form,
        "token": ctx.request.POST.get("token") or new_token(),
    }
    return ctx.render("jobs/export.html", context, status=422 if form.is_bound else 200)


def _file(
    ctx: RequestContext,
    query: ListQuery,
    first: ListPage,
    content: ExportContent,
    form: str,
    notes: list[str],
) -> HttpResponse:
    seen, count = Export(), 0
    rows: list[Sequence[CellValue]] = [content.headings()]
    for read in fetch.pages(ctx.gateway, query, first=first):
        rows += exports.rows_of(read, query, content, ctx, seen)
        count += len(read.records)
        seen.see(read)
    warnings = exports.warnings(seen, count, query.resource.name)
    for words in warnings:
        messages.warning(ctx.request, words)
    name = export_files.file_name(query.resource.name, form, timezone.localdate())
    chunks = export_files.file_chunks(form, rows, [*notes, *warnings], ctx.style)
    return HttpResponse(chunks, content_type=export_files.TYPES[form], headers=_named(name))


def _named(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
