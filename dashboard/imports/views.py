"""The page of a file that is to be imported: its columns, and its rows as they will be sent."""

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Condition
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.core.sealed import sealed_text
from dashboard.core.service_name import SERVICE_AT_START
from dashboard.core.templates import undo_tags
from dashboard.imports import (
    checking,
    duplicates,
    file_reading,
    import_file,
    sending,
    undoing,
    unmatched_names,
)
from dashboard.imports import targets as columns
from dashboard.imports.checking import CheckedRecord
from dashboard.imports.choices import (
    choose,
    mend,
    mend_cells,
    take_usual,
    usual_fields,
    usual_form,
)
from dashboard.imports.document_columns import is_document
from dashboard.imports.import_file import (
    CREATE,
    SKIP,
    UPDATE,
    ImportSettings,
    StoredTable,
    table_of,
    ways_of,
)
from dashboard.imports.joining import JOINERS
from dashboard.imports.models import Import
from dashboard.imports.rows import CheckedRow
from dashboard.imports.shown_columns import other_ways, shown_columns
from dashboard.imports.target_names import BUSINESS, CONTACT_TYPE, LINE, LOOSE, NOTES
from dashboard.imports.upload import first_page, may_import
from dashboard.jobs.views import own_job, refuse_other_workspace
from dashboard.people.context import RequestContext, page, page_without_keys
from dashboard.people.permissions import (
    EDIT_RECORDS,
    EXPORT_RECORDS,
    MANAGE_SETTINGS,
    permission_required,
)
from dashboard.schema.record_form import posted_fields
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.tables.columns import ORDERS
from dashboard.tables.encodings import ENCODINGS
from dashboard.tables.limits import MAX_ROWS, ReadersBusy
from dashboard.tables.separated import SEPARATORS
from dashboard.text.style import MARKS

AT_ONCE = 2  # files that a process reads or checks, one of a person
WAIT_TIMEOUT = 10.0  # seconds
_changed = Condition()
_checking = set[int]()
BUSY = (
    "Other files are being read just now. Yours is kept below with everything you chose, "
    "and nothing was sent. Try again in a moment."
)
NOT_READ = (
    "The file is being read in another way. The cells you typed are kept. Check everything else "
    "you chose, and choose it again."
)
OTHER_SHEET = "Another sheet is being read. What you typed on this one is not kept."
CHANGED = "What would be sent has changed since you looked. Check it, then send it."
WAYS_TO_READ = {
    "encodings": ENCODINGS, "separators": SEPARATORS, "marks": MARKS, "orders": ORDERS,
}  # fmt: skip
MAX_SHOWN = 50  # rows
VIEWS = {
    checking.MEND: "Needs fixing",
    checking.KNOWN: "There already",
    checking.TWICE: "Twice in the file",
    checking.READY: "New",
    checking.CHANGE: "Changes",
    checking.LEFT: "Left out",
}


@require_http_methods(["GET", "HEAD", "POST"])
@page_without_keys
def show(ctx: RequestContext, pk: int) -> HttpResponse:
    """The columns and the rows. What was chosen is stored; "send" begins the job."""
    found = _own(ctx, pk)
    resource = RESOURCES[found.resource]
    if ctx.request.method == "POST":
        is_read = _take_over(ctx, found, resource)
        if ctx.request.POST.get("do") != "send" or not is_read:
            return redirect("imports:show", pk)
        now = import_file.of_person(ctx.user, ctx.workspace).filter(pk=pk).first()
        if now is None:  # discarded meanwhile
            return redirect(first_page(ctx.user, resource))
        found = now
    if found.job_id:
        return redirect("jobs:show", found.job_id)
    return _show_or_send(ctx, found, resource)


def _show_or_send(ctx: RequestContext, found: Import, resource: Resource) -> HttpResponse:
    """The page of a file that was not sent, or its job once it was sent now."""
    try:
        with check_turn(ctx.user.pk):
            return _read_and_check(ctx, found, resource)
    except (TooBusy, ReadersBusy):  # the file is kept with everything that was chosen
        messages.warning(ctx.request, BUSY)
        return redirect(first_page(ctx.user, resource))


def _read_and_check(ctx: RequestContext, found: Import, resource: Resource) -> HttpResponse:
    """Read the file, unless that was done before, and check its records. Raises ReadersBusy."""
    if not sealed_text(found, "table"):
        file_reading.read_now(found)
        found.refresh_from_db()
    choices = import_file.settings_of(found)
    table = table_of(found, choices)
    if table is None:  # sent, discarded or chosen otherwise meanwhile
        return redirect("imports:show", found.pk)
    if isinstance(table, str):
        return _show_unreadable(ctx, found, resource, table)
    if choices.fields is None:
        choices.fields = _first_fields(found, table, choices, resource)
    if len(table.rows) > file_reading.most_rows(ctx.user):
        raise PermissionDenied
    return _check(ctx, found, table, choices)


def _first_fields(
    found: Import, table: StoredTable, choices: ImportSettings, resource: Resource
) -> dict[str, str]:
    """Where the columns go until the person says so: as in the last such file, else as guessed. Of
    a few pasted cells none is left out.
    """
    fields = columns.guess_fields(table, resource, found.workspace)
    if columns.names_businesses(table, fields, resource):
        choices.usual[CONTACT_TYPE] = BUSINESS
    if not choices.name and len(table.rows) <= file_reading.MAX_TYPED:
        fields = columns.rest_to_notes(fields, resource)
    if not table.header.value:
        return fields
    last, choices.joins = import_file.last_columns(found, table)
    return {**fields, **last}


def _check(
    ctx: RequestContext,
    found: Import,
    table: StoredTable,
    choices: ImportSettings,
) -> HttpResponse:
    """Check the records, then send or show them."""
    resource = RESOURCES[found.resource]
    index = duplicates.read_index(ctx, resource, fresh=ctx.request.method == "POST")
    records = _checked(table, choices, ctx, resource, index)
    if ctx.request.method == "POST":
        return _send(ctx, found, choices, records, index)
    return show_rows(ctx, found, table, choices, records, index)


@transaction.atomic
def _take_over(ctx: RequestContext, found: Import, resource: Resource) -> bool:
    """Store what was posted, unless the file was sent or discarded meanwhile. A file that is to be
    read in another way is read anew. False: it is not read yet, and only cells were stored.

    Cells are mended only in rows of the table, so that what is stored stays as small as the file.
    """
    locked, posted = import_file.lock(found), ctx.request.POST
    if locked is None:
        return True
    choices = import_file.settings_of(locked)
    table, before, ways = table_of(locked, choices), choices.sheet, ways_of(choices)
    targets = columns.targets_of(resource, locked.workspace)
    said = take_usual(choices, posted, usual_form(resource, ctx, choices))
    if table is None:  # its columns cannot be chosen until it is read
        messages.info(ctx.request, " ".join([*said, _mend_unread(choices, posted, targets)]))
        import_file.store(locked, choices)
        return False
    choose(choices, posted, targets, may_update=may_update(ctx, resource))
    if isinstance(table, StoredTable) and choices.sheet == before:
        mend(choices, posted, targets, table)
        unmatched_names.take_all(choices, posted, resource)
        for take in (unmatched_names.give_numbers, unmatched_names.take_picked):
            said += take(choices, posted, table, resource, ctx)
    elif isinstance(table, StoredTable) and choices.sheet != table.sheet:
        choices.mended, choices.left, choices.kept = {}, [], []  # they belong to that sheet
    for words in said:
        messages.info(ctx.request, words)
    import_file.store(locked, choices, table if isinstance(table, StoredTable) else None)
    if isinstance(table, str) or ways_of(choices) != ways:
        Import.objects.filter(pk=locked.pk).update(table="")
    return True


def _mend_unread(choices: ImportSettings, posted: QueryDict, targets: Container[str]) -> str:
    """Take over the cells of a file that is not read yet. Returns what to say about it."""
    if posted.get("sheet", "") != choices.sheet:
        return OTHER_SHEET
    mend_cells(choices, posted, targets, range(1, MAX_ROWS + 2))
    return NOT_READ


def _send(
    ctx: RequestContext,
    found: Import,
    choices: ImportSettings,
    records: Sequence[CheckedRecord],
    index: duplicates.Index,
) -> HttpResponse:
    """Begin the job, unless what would be sent is not what the page has shown."""
    if Import.objects.filter(pk=found.pk).exclude(job=None).exists():  # by another request
        return redirect("imports:show", found.pk)
    if ctx.request.POST.get("fingerprint") != checking.fingerprint(records):
        messages.info(ctx.request, CHANGED)
        return redirect("imports:show", found.pk)
    job = sending.create_job(
        ctx,
        ctx.user,
        found,
        checking.to_send(records),
        look_up=not index.is_whole and choices.known != CREATE,
        update=choices.known == UPDATE,
    )
    first = first_page(ctx.user, RESOURCES[found.resource])
    return redirect("jobs:show", job.pk) if job else redirect(first)


@require_POST
@page
def discard(ctx: RequestContext, pk: int) -> HttpResponse:
    """Discard a file that was not sent, with what is chosen on its page; the message has Undo."""
    found = _own(ctx, pk)
    resource = RESOURCES[found.resource]
    if "known" in ctx.request.POST:  # the page of its rows, not that of a file that cannot be read
        _take_over(ctx, found, resource)
    import_file.discard(found)
    undo = undo_tags(reverse("imports:put_back", args=[pk]), ())
    messages.info(ctx.request, f"Discarded: {import_file.name_of(found)}.", extra_tags=undo)
    return redirect(first_page(ctx.user, resource))


@require_POST
@page
def put_back(ctx: RequestContext, pk: int) -> HttpResponse:
    """Undo of `discard`."""
    if not import_file.put_back(ctx.user, ctx.workspace, pk):
        raise Http404
    return redirect("imports:show", pk)


@require_POST
@page
def undo(ctx: RequestContext, pk: int) -> HttpResponse:
    """Propose to undo the import of a job."""
    done = own_job(ctx, pk, sending.KIND)
    if refused := refuse_other_workspace(ctx, done):
        return refused
    resource = RESOURCES[done.resource]
    job = undoing.propose_undo(ctx, done)
    if job is None and not ctx.gateway.supports(resource.endpoint, "delete"):
        messages.info(ctx.request, f"{SERVICE_AT_START} has no way to delete {resource.name}.")
        return redirect("jobs:show", pk)
    if job is None:
        messages.info(ctx.request, "There is nothing to undo.")
        return redirect("jobs:show", pk)
    return redirect("bulk:show", job.pk)


def _own(ctx: RequestContext, pk: int) -> Import:
    """A file of the person in the workspace of their keys: its rows are for no other one."""
    mine = import_file.of_person(ctx.user, ctx.workspace)
    found: Import = get_object_or_404(mine, pk=pk)
    if found.resource not in RESOURCES:
        raise Http404
    if not may_import(ctx.user, RESOURCES[found.resource]):
        raise PermissionDenied
    return found


def _checked(
    table: StoredTable,
    choices: ImportSettings,
    ctx: RequestContext,
    resource: Resource,
    index: duplicates.Index,
) -> Sequence[CheckedRecord]:
    begun = posted_fields(usual_form(resource, ctx, choices))
    form = resource.create_form(begun, ctx=ctx)
    return checking.Checker(table, choices, resource, form, begun, index).check()


def may_update(ctx: RequestContext, resource: Resource) -> bool:
    """Whether rows may change what is there; an update of a document would replace all of it."""
    return ctx.gateway.supports(resource.endpoint, "update") and not is_document(resource)


def show_rows(
    ctx: RequestContext,
    found: Import,
    table: StoredTable,
    choices: ImportSettings,
    records: Sequence[CheckedRecord],
    index: duplicates.Index,
) -> HttpResponse:
    """The columns, and the first rows of one state."""
    resource, numbers_of = RESOURCES[found.resource], checking.counts(records)
    rows_read = [row for record in records for row in record.rows]
    usual = usual_fields(resource, ctx, choices, {name for row in rows_read for name in row.errors})
    of_state = _rows_of_state(ctx, records, {field.name for field in usual})
    first = min(rows_read, key=lambda row: row.number, default=None)
    shown = shown_columns(table, choices, resource, found.workspace, first)
    unknown = unmatched_names.Unmatched(resource, ctx, choices).collect(rows_read)
    targets = columns.targets_of(resource, found.workspace)
    used = _used(targets, choices, of_state["rows"])
    context = {
        "title": f"Import {resource.name}",
        "resource": resource,
        "first_page": first_page(ctx.user, resource),
        "found": found,
        "file_name": choices.name,
        "table": table,
        "choices": choices,
        "targets": targets,
        "groups": columns.grouped_targets(resource, found.workspace),
        "usual": usual,
        "field_words": columns.words_of_fields(resource),
        "unknown": unknown,
        "created_all": unmatched_names.created_all(resource, choices),
        "may_create_all": unmatched_names.may_create_all(unknown),
        "used": used,
        "one_line": columns.on_one_line(resource, used, found.workspace),
        "columns": shown,
        "other_ways": other_ways(shown, table, rows_read),
        "first_row": first.number if first else 0,
        "joiners": JOINERS,
        "ready": numbers_of[checking.READY] + numbers_of[checking.CHANGE],
        "fingerprint": checking.fingerprint(records),
        "may_update": may_update(ctx, resource),
        "kept": columns.never_changed(resource, used) if choices.known == UPDATE else [],
        "added": _labels(resource, columns.added(resource, used), choices),
        "may_name_entries": ctx.may(MANAGE_SETTINGS),
        "looked_up_later": not index.is_whole and choices.known == SKIP,
    }
    return ctx.render("imports/show.html", {**context, **of_state, **WAYS_TO_READ})


def _rows_of_state(
    ctx: RequestContext, records: Sequence[CheckedRecord], usual: Container[str]
) -> dict[str, Any]:
    """The first rows of the state that the address names, else of the first one that has some.
    What is wrong with the `usual` fields is told once, above the rows.
    """
    numbers_of = checking.counts(records)
    asked = ctx.params.get("show", "")
    state = asked if asked in VIEWS else next((s for s in VIEWS if numbers_of[s]), checking.READY)
    chosen = [record for record in records if record.state == state]
    rows = [
        row
        for record in chosen
        for row in record.shown_rows
        if state != checking.MEND or record.problems or any(one not in usual for one in row.errors)
    ]
    return {
        "views": [
            (name, words, numbers_of[name]) for name, words in VIEWS.items() if numbers_of[name]
        ],
        "state": state,
        "rows": rows[:MAX_SHOWN],
        "records": {record.number: record for record in chosen},
        "more": max(0, len(rows) - MAX_SHOWN),
        "told_above": usual,
    }


def _used(targets: Iterable[str], choices: ImportSettings, rows: Iterable[CheckedRow]) -> list[str]:
    """The targets that have a column, and cells of lines that are to be mended without one."""
    wrong = {name for row in rows for name in row.errors if name.startswith(LINE)}
    taken = wrong.union((choices.fields or {}).values())
    if LOOSE in taken:
        taken = {*taken, NOTES} - {LOOSE}
    return [name for name in targets if name in taken]


def _labels(resource: Resource, names: Iterable[str], choices: ImportSettings) -> list[str]:
    """The labels of fields whose entries are added to those of a record that is changed."""
    fields = resource.create_form.base_fields
    return [str(fields[name].label) for name in names] if choices.known == UPDATE else []


def _show_unreadable(
    ctx: RequestContext, found: Import, resource: Resource, words: str
) -> HttpResponse:
    """The file cannot be read as was chosen; the choices can be taken back."""
    context = {
        "title": f"Import {resource.name}",
        "found": found,
        "words": words,
        "encodings": ENCODINGS,
        "separators": SEPARATORS,
    }
    return ctx.render("imports/unreadable.html", context, status=422)


class TooBusy(Exception):  # noqa: N818 (what it is, without Error)
    """Other files were being read or checked all the time that a request may wait."""


@contextmanager
def check_turn(person: int) -> Iterator[None]:
    """Wait until a file of this person may be read and checked: one of a person at a time, and
    AT_ONCE in all. Raises TooBusy.
    """
    with _changed:
        if not _changed.wait_for(
            lambda: person not in _checking and len(_checking) < AT_ONCE, WAIT_TIMEOUT
        ):
            raise TooBusy
        _checking.add(person)
    try:
        yield
    finally:
        with _changed:
            _checking.discard(person)
            _changed.notify_all()


app_name = "imports"
_for_editors = permission_required(EDIT_RECORDS)
urlpatterns = [
    path("<int:pk>/", _for_editors(show), name="show"),
    path("<int:pk>/discard/", _for_editors(discard), name="discard"),
    path("<int:pk>/put-back/", _for_editors(put_back), name="put_back"),
    path("undo/<int:pk>/", permission_required(EXPORT_RECORDS)(undo), name="undo"),
]
