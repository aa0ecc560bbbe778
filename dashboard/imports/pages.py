"""The pages of an import: the file, then its columns and rows as they will be sent."""

from collections.abc import Callable, Container, Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods, require_POST

from dashboard import resources
from dashboard.accounts.permissions import EXPORT_RECORDS, permission_required
from dashboard.exports.files import day_order
from dashboard.gateway import whole_number
from dashboard.imports import checking, columns, known, sending, storage
from dashboard.imports.checking import CheckedRow
from dashboard.imports.models import Import
from dashboard.imports.storage import CREATE, SKIP, UPDATE, Wishes
from dashboard.records.context import RequestContext, StaffRequest, context_of
from dashboard.records.forms.posted import posted_fields
from dashboard.records.pages.defaults import default_values
from dashboard.records.resource import Page, Resource
from dashboard.tables import limits
from dashboard.tables.cells import cell_text
from dashboard.tables.dates import ORDERS
from dashboard.tables.encodings import ENCODINGS
from dashboard.tables.errors import UnreadableTable
from dashboard.tables.numbers import MARKS
from dashboard.tables.reading import ReadTable, read_table
from dashboard.tables.separated import SEPARATORS

MOST_ROWS = 5_000  # of one import
MOST_PASTED = 2_000_000  # characters
MOST_SHOWN = 50  # rows
MOST_SAMPLES = 3  # values of a column
CHANGED = "What would be sent is not what you had seen. Look at it, then send it."
TOO_MANY = f"There are more than {MOST_ROWS:,} rows: divide the table."
VIEWS = {
    checking.MEND: "To mend",
    checking.KNOWN: "There already",
    checking.TWICE: "Twice in the file",
    checking.READY: "New",
    checking.CHANGE: "Changes",
    checking.LEFT: "Left out by you",
}


class FileForm(forms.Form):
    """A file or pasted cells; the file is read if there are both."""

    use_required_attribute = False

    file = forms.FileField(
        label="File",
        required=False,
        allow_empty_file=True,
        help_text="CSV, Excel (XLSX) or OpenDocument (ODS), at most 10 MB and 5,000 rows.",
    )
    text = forms.CharField(
        label="Or cells of a spreadsheet",
        required=False,
        strip=False,
        max_length=MOST_PASTED,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "autocomplete": "off"}),
    )

    def clean(self) -> dict[str, Any]:
        """The cleaned data, with the bytes or the text under "content"."""
        file, text = self.cleaned_data.get("file"), self.cleaned_data.get("text", "")
        content = file.read(limits.MOST_BYTES + 1) if file else text
        try:
            if not file and not text.strip():
                raise UnreadableTable("Choose a file, or paste cells.")
            table = read_table(content)
            if len(table.rows) > MOST_ROWS:
                raise UnreadableTable(TOO_MANY)
        except UnreadableTable as error:
            self.add_error("file" if file or not text else "text", str(error))
        self.cleaned_data |= {"content": content, "name": file.name if file else ""}
        return self.cleaned_data


@require_http_methods(["GET", "HEAD", "POST"])
def begin(request: StaffRequest, resource: Resource) -> HttpResponse:
    """The form that takes a file; a file that can be read leads to its columns."""
    posted = request.method == "POST"
    form = FileForm(request.POST, request.FILES) if posted else FileForm()
    if posted and form.is_valid():
        name, content = form.cleaned_data["name"], form.cleaned_data["content"]
        workspace = context_of(request).workspace
        found = storage.create(request.user, workspace, resource.name, name, content)
        return redirect("imports:show", found.pk)
    mine = Import.objects.filter(person=request.user, resource=resource.name, job=None)
    context = {
        "title": f"Import {resource.name}",
        "resource": resource,
        "list_url": resource.url(),
        "form": form,
        "others": mine.order_by("-updated_at")[:10],
    }
    return render(request, "imports/file.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def show(request: StaffRequest, pk: int) -> HttpResponse:
    """The columns and the rows. What was chosen is stored; "send" begins the job."""
    found = _own(request, pk)
    if found.job_id:
        return redirect("jobs:show", found.job_id)
    ctx, resource = context_of(request), resources.BY_NAME[found.resource]
    wishes = storage.wishes_of(found)
    if request.method == "POST":
        _choose(wishes, request.POST, columns.targets_of(resource))
        storage.store(found, wishes)
        if request.POST.get("do") != "send":
            return redirect("imports:show", pk)
    try:
        table = _table(found, wishes, ctx)
    except UnreadableTable as error:
        return _show_unreadable(request, found, resource, str(error))
    if wishes.fields is None:
        guessed = columns.guess_fields(table, resource)
        wishes.fields = {**guessed, **storage.last_fields(found, table)}
        storage.store(found, wishes, table)
    index = known.read_index(ctx, resource)
    rows = _checked(table, wishes, ctx, resource, index)
    if request.method == "POST":
        return _send(request, ctx, found, wishes, rows, index)
    return _show(request, found, resource, table, wishes, rows, index)


def _send(
    request: StaffRequest,
    ctx: RequestContext,
    found: Import,
    wishes: Wishes,
    rows: list[CheckedRow],
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
    return redirect("jobs:show", job.pk)


@require_POST
def discard(request: StaffRequest, pk: int) -> HttpResponse:
    """Delete a file that was not sent."""
    found = _own(request, pk)
    if found.job_id is None:
        found.delete()
    return redirect(f"{found.resource}:import")


def pages_of(resource: Resource) -> dict[str, Page]:
    """The page of a resource whose records can be imported."""
    if not resource.is_imported:
        return {}
    return {"import": Page(route="import/", view=begin, permission=EXPORT_RECORDS)}


def import_urls() -> tuple[list[URLPattern], str]:
    """The pages of a file."""
    pages: dict[str, tuple[str, Callable[..., HttpResponseBase]]] = {
        "show": ("<int:pk>/", show),
        "discard": ("<int:pk>/discard/", discard),
    }
    allowed = permission_required(EXPORT_RECORDS)
    urls = [path(route, allowed(view), name=name) for name, (route, view) in pages.items()]
    return urls, "imports"


def _own(request: StaffRequest, pk: int) -> Import:
    found = get_object_or_404(Import, pk=pk, person=request.user)
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
) -> list[CheckedRow]:
    kind = resource.create_form
    begun = posted_fields(kind(ctx=ctx, initial=default_values(kind, ctx)))
    form = kind(begun, ctx=ctx)
    return checking.check_rows(table, wishes, resource, form, begun, index)


def _choose(wishes: Wishes, data: QueryDict, targets: Container[str]) -> None:
    """Take over what was posted; what is not among the choices is ignored."""
    before = (wishes.separator, wishes.sheet, wishes.header)
    for name, allowed in (("encoding", ENCODINGS), ("separator", SEPARATORS)):
        if data.get(name, "") in ("", *allowed):
            setattr(wishes, name, data.get(name, ""))
    wishes.sheet = data.get("sheet", "")
    wishes.header = whole_number(data.get("header", ""), least=0)
    known_ones = data.get("known", "")
    wishes.known = known_ones if known_ones in (CREATE, UPDATE) else SKIP
    wishes.fields = _by_column(data, "field-", targets)
    wishes.marks = _by_column(data, "mark-", MARKS)
    wishes.orders = _by_column(data, "order-", ORDERS)
    if (wishes.separator, wishes.sheet, wishes.header) != before:
        wishes.fields = None  # the columns are others now
        wishes.marks, wishes.orders = {}, {}
    for name, text in data.items():
        kind, _, rest = name.partition("-")
        row, _, field = rest.partition("-")
        if kind == "cell" and whole_number(row) and field:
            wishes.mended.setdefault(row, {})[field] = str(text)
    shown = {number for text in data.getlist("row") if (number := whole_number(text))}
    left = {number for number in shown if f"left-{number}" in data}
    wishes.left = sorted((set(wishes.left) - shown) | left)


def _by_column(data: QueryDict, prefix: str, allowed: Container[str]) -> dict[str, str]:
    """What was chosen for each column, by its number."""
    numbers = range(limits.MOST_COLUMNS)
    given = {str(number): str(data.get(f"{prefix}{number}", "")) for number in numbers}
    return {number: value for number, value in given.items() if value in allowed}


def _show(
    request: StaffRequest,
    found: Import,
    resource: Resource,
    table: ReadTable,
    wishes: Wishes,
    rows: list[CheckedRow],
    index: known.Index,
) -> HttpResponse:
    numbers_of = checking.counts(rows)
    views = [(state, words, numbers_of[state]) for state, words in VIEWS.items()]
    asked = request.GET.get("show", "")
    state = asked if asked in VIEWS else next((s for s, _, n in views if n), checking.READY)
    chosen = [row for row in rows if row.state == state]
    targets = columns.targets_of(resource)
    used = [name for name in targets if name in (wishes.fields or {}).values()]
    context = {
        "title": f"Import {resource.name}",
        "resource": resource,
        "found": found,
        "table": table,
        "wishes": wishes,
        "targets": targets,
        "choices": columns.choices_of(resource),
        "used": used,
        "columns": _columns(table, wishes, resource),
        "views": [(name, words, number) for name, words, number in views if number],
        "state": state,
        "rows": chosen[:MOST_SHOWN],
        "more": max(0, len(chosen) - MOST_SHOWN),
        "ready": numbers_of[checking.READY] + numbers_of[checking.CHANGE],
        "fingerprint": checking.fingerprint(rows),
        "may_update": request.gateway.offers(resource.endpoint, "update"),
        "kept": _never_changed(resource, used) if wishes.known == UPDATE else [],
        "looked_up_later": not index.is_whole and wishes.known == SKIP,
        "encodings": ENCODINGS,
        "separators": SEPARATORS,
        "marks": MARKS,
        "orders": ORDERS,
    }
    return render(request, "imports/show.html", context)


def _never_changed(resource: Resource, used: Iterable[str]) -> list[str]:
    """The labels of the fields that the service takes only with a new record."""
    fields = resource.create_form.base_fields
    names = [name for name in used if name in fields and name not in resource.edit_form.base_fields]
    return [str(fields[name].label) for name in names]


def _columns(table: ReadTable, wishes: Wishes, resource: Resource) -> list[dict[str, Any]]:
    """Each column as the page shows it, with the ways to read it where these matter."""
    fields = resource.create_form.base_fields
    found: list[dict[str, Any]] = []
    for index, column in enumerate(table.columns):
        target = (wishes.fields or {}).get(str(index), "")
        field = fields.get(target)
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
