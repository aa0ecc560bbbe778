"""Shows the page of a file: its columns and rows, or that it is not read yet."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django_htmx.http import HttpResponseClientRefresh

from dashboard import resources
from dashboard.context import RequestContext, StaffRequest
from dashboard.declare.resource import Resource
from dashboard.imports import (
    checking,
    columns,
    file_reading,
    known,
    storage,
    unknown,
)
from dashboard.imports.checking import CheckedRecord
from dashboard.imports.choosing import usual_fields
from dashboard.imports.columns import CUSTOM, LOOSE, NOTES
from dashboard.imports.document_columns import LINE, is_document
from dashboard.imports.file_page import first_page
from dashboard.imports.models import Import
from dashboard.imports.row_texts import CheckedRow
from dashboard.imports.storage import SKIP, UPDATE, Wishes
from dashboard.imports.stored_table import StoredTable
from dashboard.tables.dates import ORDERS
from dashboard.tables.encodings import ENCODINGS
from dashboard.tables.separated import SEPARATORS
from dashboard.text.style import MARKS

WAYS_TO_READ = {
    "encodings": ENCODINGS, "separators": SEPARATORS, "marks": MARKS, "orders": ORDERS,
}  # fmt: skip
MOST_SHOWN = 50  # rows
VIEWS = {
    checking.MEND: "To mend",
    checking.KNOWN: "There already",
    checking.TWICE: "Twice in the file",
    checking.READY: "New",
    checking.CHANGE: "Changes",
    checking.LEFT: "Left out by you",
}


def may_update(ctx: RequestContext, resource: Resource) -> bool:
    """Whether rows may change what is there; an update of a document would replace all of it."""
    return ctx.gateway.offers(resource.endpoint, "update") and not is_document(resource)


def show_rows(
    request: StaffRequest,
    ctx: RequestContext,
    found: Import,
    table: StoredTable,
    wishes: Wishes,
    records: Sequence[CheckedRecord],
    index: known.Index,
) -> HttpResponse:
    """The columns, and the first rows of one state."""
    resource, numbers_of = resources.BY_NAME[found.resource], checking.counts(records)
    views = [(state, words, numbers_of[state]) for state, words in VIEWS.items()]
    asked = request.GET.get("show", "")
    state = asked if asked in VIEWS else next((s for s, _, n in views if n), checking.READY)
    chosen = [record for record in records if record.state == state]
    rows = [row for record in chosen for row in record.shown_rows]
    targets = columns.targets_of(resource, found.workspace)
    used = _used(targets, wishes, rows[:MOST_SHOWN])
    context = {
        "title": f"Import {resource.name}",
        "resource": resource,
        "first_page": first_page(request.user, resource),
        "found": found,
        "file_name": wishes.name,
        "table": table,
        "wishes": wishes,
        "targets": targets,
        "groups": columns.grouped_targets(resource, found.workspace),
        "usual": usual_fields(resource, ctx, wishes, used),
        "choices": columns.choices_of(resource),
        "unknown": unknown.collect((row for each in records for row in each.rows), resource, ctx),
        "used": used,
        "columns": _columns(table, wishes, resource),
        "views": [(name, words, number) for name, words, number in views if number],
        "state": state,
        "rows": rows[:MOST_SHOWN],
        "records": {record.number: record for record in chosen},
        "more": max(0, len(rows) - MOST_SHOWN),
        "ready": numbers_of[checking.READY] + numbers_of[checking.CHANGE],
        "fingerprint": checking.fingerprint(records),
        "may_update": may_update(ctx, resource),
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
    if LOOSE in taken:
        taken = {*taken, NOTES} - {LOOSE}
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


def _columns(table: StoredTable, wishes: Wishes, resource: Resource) -> list[dict[str, Any]]:
    """Each column as the page shows it, with the ways to read it where these matter."""
    found: list[dict[str, Any]] = []
    for index, column in enumerate(table.columns):
        target = (wishes.fields or {}).get(str(index), "")
        field = columns.field_of(resource, target)
        found.append(
            {
                "index": index,
                "title": column.title,
                "samples": table.samples[index],
                "target": target,
                "mark": column.mark if isinstance(field, columns.NUMBERS) else None,
                "order": column.order if isinstance(field, columns.DATES) else None,
            }
        )
    return found


def show_without_table(
    request: StaffRequest, found: Import, wishes: Wishes, refusal: str | None
) -> HttpResponse:
    """The file is not read yet, or cannot be read."""
    resource = resources.BY_NAME[found.resource]
    if refusal is None:
        return _show_reading(request, found, resource, wishes)
    if request.htmx:
        return HttpResponseClientRefresh()
    return _show_unreadable(request, found, resource, refusal)


def _show_reading(
    request: StaffRequest, found: Import, resource: Resource, wishes: Wishes
) -> HttpResponse:
    """The file is not read yet; for htmx the part that follows it."""
    is_late = file_reading.is_late(found)
    if is_late and not request.htmx:
        file_reading.enqueue(found)  # the task may have been lost with its worker
    context = {
        "title": f"Import {resource.name}",
        "resource": resource,
        "found": found,
        "first_page": first_page(request.user, resource),
        "name": wishes.name or storage.PASTED,
        "is_late": is_late,
    }
    template = "imports/_reading_now.html" if request.htmx else "imports/reading.html"
    return render(request, template, context)


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


def show_busy(request: StaffRequest, found: Import, resource: Resource) -> HttpResponse:
    """Other files are being checked; everything that was chosen is stored."""
    context = {"title": f"Import {resource.name}", "resource": resource, "found": found}
    return render(request, "imports/busy.html", context, status=429)
