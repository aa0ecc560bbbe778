"""The page of a file that is to be imported: its columns, and its rows as they will be sent."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods, require_POST

from dashboard import resources
from dashboard.accounts.permissions import EXPORT_RECORDS, permission_required
from dashboard.exports.files import day_order
from dashboard.imports import checking, columns, known, sending, storage, undoing, unknown
from dashboard.imports.checking import CheckedRow
from dashboard.imports.choosing import choose, mend
from dashboard.imports.columns import CUSTOM
from dashboard.imports.document_columns import LINE, is_document
from dashboard.imports.documents import check_documents
from dashboard.imports.models import Import
from dashboard.imports.storage import CREATE, SKIP, UPDATE, Wishes
from dashboard.imports.usual import take_usual, usual_fields, usual_form
from dashboard.jobs.views import own_job, refuse_other_workspace
from dashboard.records.context import RequestContext, StaffRequest, context_of, workspace_of
from dashboard.records.forms.posted import posted_fields
from dashboard.records.resource import Resource
from dashboard.tables.cells import cell_text
from dashboard.tables.dates import ORDERS
from dashboard.tables.encodings import ENCODINGS
from dashboard.tables.errors import UnreadableTable
from dashboard.tables.numbers import MARKS
from dashboard.tables.reading import ReadTable, read_table
from dashboard.tables.separated import SEPARATORS

WAYS_TO_READ = {
    "encodings": ENCODINGS, "separators": SEPARATORS, "marks": MARKS, "orders": ORDERS,
}  # fmt: skip
MOST_SHOWN = 50  # rows
MOST_SAMPLES = 3  # values of a column
CHANGED = "What would be sent has changed since you looked. Check it, then send it."
VIEWS = {
    checking.MEND: "To mend",
    checking.KNOWN: "There already",
    checking.TWICE: "Twice in the file",
    checking.READY: "New",
    checking.CHANGE: "Changes",
    checking.LEFT: "Left out by you",
}


@require_http_methods(["GET", "HEAD", "POST"])
def show(request: StaffRequest, pk: int) -> HttpResponse:
    """The columns and the rows. What was chosen is stored; "send" begins the job."""
    found = _own(request, pk)
    if found.job_id:
        return redirect("jobs:show", found.job_id)
    ctx, resource = context_of(request), resources.BY_NAME[found.resource]
    wishes = storage.wishes_of(found)
    table = _read(request, found, wishes, ctx)
    if request.method == "POST" and request.POST.get("do") != "send":
        return redirect("imports:show", pk)
    if isinstance(table, str):
        return _show_unreadable(request, found, resource, table)
    if wishes.fields is None:
        guessed = columns.guess_fields(table, resource, found.workspace)
        wishes.of_sheet = table.sheet
        wishes.fields = {**guessed, **storage.last_fields(found, table)}
    index = known.read_index(ctx, resource, fresh=request.method == "POST")
    rows = _checked(table, wishes, ctx, resource, index)
    if request.method == "POST":
        return _send(request, ctx, found, wishes, rows, index)
    return _show(request, ctx, found, table, wishes, rows, index)


def _read(
    request: StaffRequest, found: Import, wishes: Wishes, ctx: RequestContext
) -> ReadTable | str:
    """The table as was chosen, or why it cannot be read. What was posted is taken over and stored.

    Cells are mended only in rows of the table, so that what is stored stays as small as the file.
    """
    resource, posted = resources.BY_NAME[found.resource], request.POST
    targets = columns.targets_of(resource, found.workspace)
    if request.method == "POST":
        choose(wishes, posted, targets, may_update=_may_update(ctx, resource))
        take_usual(wishes, posted, usual_form(resource, ctx, wishes))
    try:
        table: ReadTable | str = _table(found, wishes, ctx)
    except UnreadableTable as error:
        table = str(error)
    if request.method == "POST":
        if isinstance(table, ReadTable):
            mend(wishes, posted, targets, table)
            for words in unknown.give_numbers(wishes, posted, table, resource, ctx):
                messages.info(request, words)
        storage.store(found, wishes, table if isinstance(table, ReadTable) else None)
    return table


def _send(
    request: StaffRequest,
    ctx: RequestContext,
    found: Import,
    wishes: Wishes,
    rows: Sequence[CheckedRow],
    index: known.Index,
) -> HttpResponse:
    """Begin the job, unless what would be sent is not what the page has shown."""
    if request.POST.get("fingerprint") != checking.fingerprint(rows):
        messages.info(request, CHANGED)
        return redirect("imports:show", found.pk)
    job = sending.create_job(
        ctx,
        request.user,
        found,
        checking.to_send(rows),
        look_up=not index.is_whole and wishes.known != CREATE,
        update=wishes.known == UPDATE,
    )
    return redirect("jobs:show", job.pk) if job else redirect(f"{found.resource}:import")


@require_POST
def discard(request: StaffRequest, pk: int) -> HttpResponse:
    """Delete a file that was not sent."""
    found = _own(request, pk)
    storage.discard(found)
    return redirect(f"{found.resource}:import")


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
    pages: dict[str, tuple[str, Callable[..., HttpResponseBase]]] = {
        "show": ("<int:pk>/", show),
        "discard": ("<int:pk>/discard/", discard),
        "undo": ("undo/<int:pk>/", undo),
    }
    allowed = permission_required(EXPORT_RECORDS)
    urls = [path(route, allowed(view), name=name) for name, (route, view) in pages.items()]
    return urls, "imports"


def _own(request: StaffRequest, pk: int) -> Import:
    """A file of the person in the workspace of their keys: its rows are for no other one."""
    mine = storage.of_person(request.user, workspace_of(request.user))
    found: Import = get_object_or_404(mine, pk=pk)
    if found.resource not in resources.BY_NAME:
        raise Http404
    return found


def _table(found: Import, wishes: Wishes, ctx: RequestContext) -> ReadTable:
    content = storage.content_of(found)
    return read_table(content, wishes.choices(), mark=ctx.style.mark, order=day_order(ctx.style))


def _checked(
    table: ReadTable,
    wishes: Wishes,
    ctx: RequestContext,
    resource: Resource,
    index: known.Index,
) -> Sequence[CheckedRow]:
    begun = posted_fields(usual_form(resource, ctx, wishes))
    form = resource.create_form(begun, ctx=ctx)
    check = check_documents if is_document(resource) else checking.check_rows
    return check(table, wishes, resource, form, begun, index)


def _may_update(ctx: RequestContext, resource: Resource) -> bool:
    """Whether rows may change what is there; an update of a document would replace all of it."""
    return ctx.gateway.offers(resource.endpoint, "update") and not is_document(resource)


def _show(
    request: StaffRequest,
    ctx: RequestContext,
    found: Import,
    table: ReadTable,
    wishes: Wishes,
    rows: Sequence[CheckedRow],
    index: known.Index,
) -> HttpResponse:
    resource, numbers_of = resources.BY_NAME[found.resource], checking.counts(rows)
    views = [(state, words, numbers_of[state]) for state, words in VIEWS.items()]
    asked = request.GET.get("show", "")
    state = asked if asked in VIEWS else next((s for s, _, n in views if n), checking.READY)
    chosen = [part for row in rows if row.state == state for part in row.shown_rows]
    targets = columns.targets_of(resource, found.workspace)
    used = _used(targets, wishes, chosen[:MOST_SHOWN])
    context = {
        "title": f"Import {resource.name}",
        "resource": resource,
        "found": found,
        "file_name": wishes.name,
        "table": table,
        "wishes": wishes,
        "targets": targets,
        "groups": columns.grouped_targets(resource, found.workspace),
        "usual": usual_fields(resource, ctx, wishes, used),
        "choices": columns.choices_of(resource),
        "unknown": unknown.collect((part for row in rows for part in row.parts), resource, ctx),
        "used": used,
        "columns": _columns(table, wishes, resource),
        "views": [(name, words, number) for name, words, number in views if number],
        "state": state,
        "rows": chosen[:MOST_SHOWN],
        "more": max(0, len(chosen) - MOST_SHOWN),
        "ready": numbers_of[checking.READY] + numbers_of[checking.CHANGE],
        "fingerprint": checking.fingerprint(rows),
        "may_update": _may_update(ctx, resource),
        "kept": _never_changed(resource, used) if wishes.known == UPDATE else [],
        "added": _labels(resource, columns.added(resource, used), wishes),
        "manages": ctx.manages,
        "looked_up_later": not index.is_whole and wishes.known == SKIP,
    }
    return render(request, "imports/show.html", {**context, **WAYS_TO_READ})


def _used(targets: Iterable[str], wishes: Wishes, rows: Iterable[CheckedRow]) -> list[str]:
    """The targets that have a column, and cells of lines that are to be mended without one."""
    wrong = {name for row in rows for name in row.errors if name.startswith(LINE)}
    taken = wrong.union((wishes.fields or {}).values())
    return [name for name in targets if name in taken]


def _never_changed(resource: Resource, used: Iterable[str]) -> list[str]:
    """The labels of the fields that an import sends only with a new record: the service takes
    some with no other, and a part of the custom fields could clear the others.
    """
    fields = resource.create_form.base_fields
    names = [name for name in used if name in fields and not columns.update_name(resource, name)]
    own = [name.removeprefix(CUSTOM) for name in used if name.startswith(CUSTOM)]
    return [*(str(fields[name].label) for name in names), *own]


def _labels(resource: Resource, names: Iterable[str], wishes: Wishes) -> list[str]:
    """The labels of fields whose entries are added to those of a record that is changed."""
    fields = resource.create_form.base_fields
    return [str(fields[name].label) for name in names] if wishes.known == UPDATE else []


def _columns(table: ReadTable, wishes: Wishes, resource: Resource) -> list[dict[str, Any]]:
    """Each column as the page shows it, with the ways to read it where these matter."""
    found: list[dict[str, Any]] = []
    for index, column in enumerate(table.columns):
        target = (wishes.fields or {}).get(str(index), "")
        field = columns.field_of(resource, target)
        found.append(
            {
                "index": index,
                "title": column.title,
                "samples": _samples(row.cells[index] for row in table.rows),
                "target": target,
                "mark": column.mark if isinstance(field, columns.NUMBERS) else None,
                "order": column.order if isinstance(field, columns.DATES) else None,
            }
        )
    return found


def _samples(cells: Iterable[Any]) -> str:
    texts = (" ".join(cell_text(cell).split())[:40] for cell in cells)
    filled = dict.fromkeys(text for text in texts if text)
    return ", ".join(list(filled)[:MOST_SAMPLES])


def _show_unreadable(
    request: StaffRequest, found: Import, resource: Resource, words: str
) -> HttpResponse:
    """The file cannot be read as was chosen; the choices can be taken back."""
    context = {
        "title": f"Import {resource.name}",
        "resource": resource,
        "found": found,
        "words": words,
        "encodings": ENCODINGS,
        "separators": SEPARATORS,
    }
    return render(request, "imports/unreadable.html", context, status=422)
