"""The page of an imported file: its columns, and its rows as they will be sent."""

from collections.abc import Collection, Container, Iterable, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.views.decorators.http import require_POST

from dashboard.core import after_response
from dashboard.core.service_name import SERVICE_AT_START
from dashboard.core.templates import undo_tags
from dashboard.imports import duplicates, import_file, sending, undoing, unmatched_names
from dashboard.imports.checking import CheckedTable, Checker, RowStatus
from dashboard.imports.choices import (
    apply_defaults,
    apply_edits,
    apply_settings,
    default_fields,
    default_form,
    edit_cells,
)
from dashboard.imports.guessing import guess_fields, names_businesses, price_by_numbers
from dashboard.imports.import_file import (
    CREATE,
    SKIP,
    UPDATE,
    ImportFile,
    ImportSettings,
    load_table,
    reading_options,
)
from dashboard.imports.models import Import
from dashboard.imports.questions import Readings
from dashboard.imports.rows import CheckedRow
from dashboard.imports.shown_columns import caption, shown_columns
from dashboard.imports.shown_totals import shown_totals
from dashboard.imports.targets import (
    BUSINESS,
    CONTACT_TYPE,
    EXTRA_NOTES,
    JOINERS,
    LINE,
    NOTES,
    Target,
    is_document,
    targets_of,
)
from dashboard.imports.upload import (
    MAX_TYPED,
    first_page,
    is_current,
    may_import,
    most_rows,
    read_file,
    store_table,
)
from dashboard.jobs.views import own_job, refuse_other_workspace
from dashboard.people.context import RequestContext, page, page_without_keys
from dashboard.people.permissions import (
    EDIT_RECORDS,
    EXPORT_RECORDS,
    MANAGE_SETTINGS,
    permission_required,
)
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.tables.columns import MARK, ORDER, ORDERS
from dashboard.tables.encodings import ENCODINGS
from dashboard.tables.limits import MAX_ROWS, ReadersBusy
from dashboard.tables.reading import VCARD, ReadTable
from dashboard.tables.separated import SEPARATORS
from dashboard.text.style import MARKS

MAX_CONCURRENT_FILES = 2  # files that a process reads or checks, one of a person
WAIT_TIMEOUT = 10.0  # seconds
_changed = Condition()
_checking = set[int]()
BUSY = (
    "Other files are being read. Your choices are kept, and nothing was sent. Try again in a "
    "moment."
)
NOT_READ = (
    "The file settings have changed. The cells you corrected are kept. Check your other choices "
    "again."
)
OTHER_SHEET = "This is another sheet. Your changes to the previous one were not kept."
CHANGED = "The rows have changed since you checked them. Check again, then send."
FORMATS = {
    "encodings": ENCODINGS,
    "separators": SEPARATORS,
    "formats": {MARK: MARKS, ORDER: ORDERS},
}
MAX_SHOWN = 50  # rows


@page_without_keys
def show(ctx: RequestContext, pk: int) -> HttpResponse:
    found = _own(ctx, pk)
    resource = RESOURCES[found.resource]
    if ctx.request.method == "POST":
        is_read = _take_over(ctx, found, resource)
        if ctx.request.POST.get("do") == "check":
            duplicates.expire_index(ctx, resource)
        if ctx.request.POST.get("do") != "send" or not is_read:
            return redirect("imports:show", pk)
        stored = import_file.of_person(ctx.user, ctx.workspace).filter(pk=pk).first()
        if stored is None:  # discarded meanwhile
            return redirect(first_page(ctx.user, resource))
        found = stored
    if found.job_id:
        return redirect("jobs:show", found.job_id)
    try:
        with check_turn(ctx.user.pk):
            return _read_and_check(ctx, found, resource)
    except (TooBusy, ReadersBusy):  # the file is kept with everything that was chosen
        messages.warning(ctx.request, BUSY)
        return redirect(first_page(ctx.user, resource))


def _read_and_check(ctx: RequestContext, found: Import, resource: Resource) -> HttpResponse:
    """Read the file if necessary and check its records; then send or show them.

    Raises ReadersBusy.
    """
    settings = import_file.settings_of(found)
    table = load_table(found)
    if table is None:
        table = read_file(found)
        if not is_current(found, import_file.unsent(found).first()):
            return redirect("imports:show", found.pk)
        after_response.run_after_response(store_table, found=found, table=table)
    if isinstance(table, str):
        return _show_unreadable(ctx, found, resource, table)
    _guess_fields(found, table, settings, ctx)
    if len(table.rows) > most_rows(ctx.user):
        raise PermissionDenied
    file, is_sent = ImportFile(found, settings, table), ctx.request.method == "POST"
    index = duplicates.read_index(ctx, resource, fresh=is_sent)
    checked = Checker(file, default_form(resource, ctx, settings), ctx, index).check()
    return (_send if is_sent else _show_rows)(ctx, file, checked, index)


def _guess_fields(
    found: Import, table: ReadTable | str | None, settings: ImportSettings, ctx: RequestContext
) -> None:
    """Set the columns, unless they are set, as in the last such file with the answers about them,
    else as guessed. All columns of a few pasted cells are used.
    """
    if settings.fields is not None or not isinstance(table, ReadTable):
        return
    file = ImportFile(found, settings, table)
    targets = file.targets
    settings.fields = fields = guess_fields(table, targets)
    if names_businesses(table, fields, targets):
        settings.defaults[CONTACT_TYPE] = BUSINESS
    if table.format == VCARD or (not settings.name and len(table.rows) <= MAX_TYPED):
        rest = EXTRA_NOTES if NOTES in targets else ""
        fields |= {index: name or rest for index, name in fields.items()}
    last, answers = import_file.last_columns(found, table) if table.header.value else ({}, {})
    fields |= {index: name for index, name in last.items() if name in ("", *targets)}
    if last:
        settings.answers = Readings(file, ctx.style).unopposed(answers)
    else:
        settings.guessed_price = price_by_numbers(table, fields, targets)


@transaction.atomic
def _take_over(ctx: RequestContext, found: Import, resource: Resource) -> bool:
    """Store the posted choices, unless the file was sent or discarded. If reading options change,
    read the file again. Return False if it is not read yet, so that only cells were stored. Cells
    are edited only in rows of the table, so that the stored edits stay as small as the file.
    """
    locked, posted = import_file.lock(found), ctx.request.POST
    if locked is None:
        return True
    settings = import_file.settings_of(locked)
    table, sheet, options = load_table(locked), settings.sheet, reading_options(settings)
    targets = targets_of(resource, locked.workspace)
    _guess_fields(locked, table, settings, ctx)
    notices = apply_defaults(settings, posted, default_form(resource, ctx, settings))
    if table is None:  # its columns cannot be chosen until it is read
        messages.info(ctx.request, " ".join([*notices, _edit_unread(settings, posted, targets)]))
        import_file.store(locked, settings)
        return False
    apply_settings(settings, posted, targets, may_update=may_update(ctx, resource))
    if isinstance(table, ReadTable):
        notices += _edit_rows(ctx, ImportFile(locked, settings, table), sheet)
    for notice in notices:
        messages.info(ctx.request, notice)
    is_anew = isinstance(table, str) or reading_options(settings) != options
    if is_anew:
        # The columns are others now.
        settings.fields, settings.answers, settings.guessed_price = None, {}, ""
    import_file.store(locked, settings, table if isinstance(table, ReadTable) else None)
    if is_anew:
        Import.objects.filter(pk=locked.pk).update(table="")
    return True


def _edit_rows(ctx: RequestContext, file: ImportFile, sheet: str) -> list[str]:
    settings, posted = file.settings, ctx.request.POST
    if settings.sheet == sheet:
        apply_edits(file, posted)
        return unmatched_names.apply_meanings(file, posted, ctx)
    if settings.sheet != file.table.sheet:
        settings.edits, settings.excluded, settings.included = {}, [], []
    return []


def _edit_unread(settings: ImportSettings, posted: QueryDict, targets: Container[str]) -> str:
    if posted.get("sheet", "") != settings.sheet:
        return OTHER_SHEET
    edit_cells(settings, posted, targets, range(1, MAX_ROWS + 2))
    return NOT_READ


def _send(
    ctx: RequestContext, file: ImportFile, checked: CheckedTable, index: duplicates.Index
) -> HttpResponse:
    """Start the job, unless the data to send differ from the page."""
    found, on_existing = file.stored, file.settings.on_existing
    if Import.objects.filter(pk=found.pk).exclude(job=None).exists():  # by another request
        return redirect("imports:show", found.pk)
    if ctx.request.POST.get("fingerprint") != checked.fingerprint:
        messages.info(ctx.request, CHANGED)
        return redirect("imports:show", found.pk)
    job = sending.create_job(
        ctx,
        found,
        checked.to_send,
        look_up=not index.is_whole and on_existing != CREATE,
        update=on_existing == UPDATE,
    )
    return redirect("jobs:show", job.pk) if job else redirect(first_page(ctx.user, file.resource))


@require_POST
@page
def discard(ctx: RequestContext, pk: int) -> HttpResponse:
    """Discard a file that was not sent, with the choices on its page; the message has Undo."""
    found = _own(ctx, pk)
    resource = RESOURCES[found.resource]
    if "on_existing" in ctx.request.POST:  # the page of its rows, not of an unreadable file
        _take_over(ctx, found, resource)
    import_file.discard(found)
    undo = undo_tags(reverse("imports:put_back", args=[pk]), ())
    messages.info(ctx.request, f"Discarded: {import_file.name_of(found)}.", extra_tags=undo)
    return redirect(first_page(ctx.user, resource))


@require_POST
@page
def put_back(ctx: RequestContext, pk: int) -> HttpResponse:
    if not import_file.put_back(ctx.user, ctx.workspace, pk):
        raise Http404
    return redirect("imports:show", pk)


@require_POST
@page
def undo(ctx: RequestContext, pk: int) -> HttpResponse:
    done = own_job(ctx, pk, sending.KIND)
    if refused := refuse_other_workspace(ctx, done):
        return refused
    resource = RESOURCES[done.resource]
    job = undoing.propose_undo(ctx, done)
    if job is None and not ctx.gateway.supports(resource.endpoint, "delete"):
        messages.info(ctx.request, f"{SERVICE_AT_START} has no way to delete {resource.name}.")
        return redirect("jobs:show", pk)
    if job is None:
        messages.info(ctx.request, "Nothing to undo")
        return redirect("jobs:show", pk)
    return redirect("bulk:show", job.pk)


def _own(ctx: RequestContext, pk: int) -> Import:
    """Return a file of the person in the workspace of their keys; no other workspace may use it."""
    mine = import_file.of_person(ctx.user, ctx.workspace)
    found: Import = get_object_or_404(mine, pk=pk)
    if found.resource not in RESOURCES:
        raise Http404
    if not may_import(ctx.user, RESOURCES[found.resource]):
        raise PermissionDenied
    return found


def may_update(ctx: RequestContext, resource: Resource) -> bool:
    """Return whether rows may update existing records; a document would be replaced as a whole."""
    return ctx.gateway.supports(resource.endpoint, "update") and not is_document(resource)


def _show_rows(
    ctx: RequestContext, file: ImportFile, checked: CheckedTable, index: duplicates.Index
) -> HttpResponse:
    resource, settings = file.resource, file.settings
    wrong = {name for row in checked.rows for name in row.errors}
    defaults = default_fields(resource, ctx, settings, wrong)
    of_status = _rows_of_status(ctx, checked, {field.name for field in defaults})
    first = min(checked.rows, key=lambda row: row.number, default=None)
    columns = shown_columns(file, first, checked.readings)
    unmatched = unmatched_names.Unmatched(checked, file, ctx).collect()
    used = _used(file, of_status["rows"])
    is_change = settings.on_existing == UPDATE or checked.counts[RowStatus.CHANGE]
    changed = used if is_change else []
    context = {
        "title": f"Import {resource.name}",
        "resource": resource,
        "first_page": first_page(ctx.user, resource),
        "found": file.stored,
        "table": file.table,
        "settings": settings,
        "targets": file.targets,
        "groups": _grouped(file.targets.values()),
        "defaults": defaults,
        "unmatched": unmatched,
        "created_all": unmatched_names.created_all(file),
        "may_create_all": unmatched_names.may_create_all(unmatched),
        "used": used,
        "columns": columns,
        "questions": checked.readings.questions(),
        "totals": shown_totals(checked, ctx.style) if is_document(resource) else None,
        "all_totals": "totals" in ctx.params,
        "caption": caption,
        "first_row": first.number if first else 0,
        "joiners": {code: label for code, (_, label) in JOINERS.items()},
        "ready": len(checked.to_send),
        "fingerprint": checked.fingerprint,
        "may_update": may_update(ctx, resource),
        "kept": [one.label for one in changed if one.is_only_for_new],
        "added": [one.label for one in changed if one.adds_entries],
        "may_name_entries": ctx.may(MANAGE_SETTINGS),
        "looked_up_later": not index.is_whole and settings.on_existing == SKIP,
    }
    return ctx.render("imports/show.html", {**context, **of_status, **FORMATS})


def _rows_of_status(ctx: RequestContext, checked: CheckedTable, above: set[str]) -> dict[str, Any]:
    """Return the first rows of the status in the URL, else of the first one with rows. `above`: the
    fields whose errors are shown once, above the rows.
    """
    statuses = [status for status in RowStatus if checked.counts[status]]
    asked = ctx.params.get("show", "")
    status = asked if asked in RowStatus else next(iter(statuses), RowStatus.READY)
    chosen = [record for record in checked.records if record.status == status]
    rows = [
        row
        for record in chosen
        for row in record.shown_rows
        if status != RowStatus.NEEDS_FIXING or record.problems or {*row.errors} - above
    ]
    return {
        "statuses": statuses,
        "counts": checked.counts,
        "status": RowStatus(status),
        "rows": rows[:MAX_SHOWN],
        "records": {record.number: record for record in chosen},
        "more": max(0, len(rows) - MAX_SHOWN),
        "shown_above": above,
    }


def _used(file: ImportFile, rows: Collection[CheckedRow]) -> list[Target]:
    wrong = {name for row in rows for name in row.errors if name.startswith(LINE)}
    names = wrong.union(file.fields.values())
    if EXTRA_NOTES in names or any(row.others for row in rows):
        names = {*names, NOTES} - {EXTRA_NOTES}
    return [target for name, target in file.targets.items() if name in names]


def _grouped(targets: Iterable[Target]) -> dict[str, dict[str, str]]:
    groups: dict[str, dict[str, str]] = {}
    for target in targets:
        groups.setdefault(target.group, {})[target.name] = target.label
    return groups


def _show_unreadable(
    ctx: RequestContext, found: Import, resource: Resource, words: str
) -> HttpResponse:
    context = {
        "title": f"Import {resource.name}",
        "found": found,
        "words": words,
        "encodings": ENCODINGS,
        "separators": SEPARATORS,
    }
    return ctx.render("imports/unreadable.html", context, status=422)


class TooBusy(Exception):  # noqa: N818 (what it is, without Error)
    """Other files used all slots for as long as a request may wait."""


@contextmanager
def check_turn(person: int) -> Iterator[None]:
    """Wait for a slot to read and check a file, one for each person. Raises TooBusy."""
    with _changed:
        if not _changed.wait_for(
            lambda: person not in _checking and len(_checking) < MAX_CONCURRENT_FILES, WAIT_TIMEOUT
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
