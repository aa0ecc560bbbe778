"""The pages that export a list as CSV and import a table, which is shown before it is applied."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.text.numbers import write_plain

from . import editing, spreadsheets
from .editing import Values
from .entry_forms import WORDS_OF_RETIRED, EntryForm, complete
from .kinds import Kind
from .list_views import for_workspace, kind_of, list_context
from .models import ListEntry
from .planned_table import WRONG, Plan, PlannedLine, TableForm
from .spreadsheets import HEADINGS, Table, parse

ADD, CHANGE, SAME = "add", "change", "same"
TALLY = {WRONG: "Wrong", CHANGE: "Changed", ADD: "New", SAME: "Unchanged"}
MOST_SHOWN = 300


def plan_import(workspace: str, kind: Kind, text: str) -> Plan:
    """What importing this text would do. Raises UnreadableTable."""
    table = parse(kind, text)
    reader = _Reader(workspace, kind, table)
    return Plan(tuple(reader.read(line, cells) for line, cells in table.rows), table.ignored)


class _Reader:
    """Reads lines of a table with the fields that the entry's own page uses."""

    def __init__(self, workspace: str, kind: Kind, table: Table) -> None:
        self.kind = kind
        self.fields = EntryForm(workspace=workspace, kind=kind).fields
        self.columns = table.columns
        self.known = {entry.code: entry for entry in editing.entries_of(workspace, kind)}
        self.lines: dict[str, int] = {}

    def read(self, line: int, cells: dict[str, str]) -> PlannedLine:
        values, errors = self._clean(cells)
        code, name = str(values.get("code", cells.get("code", ""))), cells.get("name", "").strip()
        if not errors and code in self.lines:
            errors.append(f"Line {self.lines[code]} has the same {self._key()} already.")
        if errors:
            return PlannedLine(line, WRONG, errors=tuple(errors), code=code, name=name)
        self.lines[code] = line
        entry = self.known.get(code)
        if entry is None:
            return PlannedLine(line, ADD, values, code=code, name=name)
        changes = tuple(_changes(entry, values))
        action = CHANGE if changes else SAME
        return PlannedLine(line, action, values, code=code, name=name, changes=changes)

    def _key(self) -> str:
        return "id" if "code" in self.fields else "name"

    def _clean(self, cells: dict[str, str]) -> tuple[dict[str, Any], list[str]]:
        values: dict[str, Any] = {}
        errors = [f"There is more than the columns hold: {cells['']}"] if "" in cells else []
        for column in self.columns:
            try:
                values[column] = self._value(column, cells.get(column, ""))
            except ValidationError as error:
                errors += [f"{HEADINGS[column].capitalize()}: {words}" for words in error.messages]
        if not errors:
            try:
                values = complete(self.kind, values)
            except ValidationError as error:
                errors += error.messages
        return values, errors

    def _value(self, column: str, cell: str) -> Any:
        if column == "retired":
            if cell.strip().lower() not in WORDS_OF_RETIRED:
                raise ValidationError("Write yes or no.")
            return WORDS_OF_RETIRED[cell.strip().lower()]
        field = self.fields[column]
        return field.clean(field.widget.value_from_datadict({column: cell}, {}, column))


def _changes(entry: ListEntry, values: Values) -> list[tuple[str, str, str]]:
    return [
        (HEADINGS[name], _words(name, getattr(entry, name)), _words(name, value))
        for name, value in values.items()
        if name in editing.CHANGEABLE and getattr(entry, name) != value
    ]


def _words(name: str, value: Any) -> str:
    if name == "retired":
        return "yes" if value else "no"
    if name in ("price", "rate"):
        return write_plain(value)
    return ", ".join(value) if isinstance(value, list) else str(value)


@for_workspace
@require_safe
def export(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    """The list as a CSV file."""
    kind = kind_of(slug)
    data = spreadsheets.write(kind, editing.entries_of(workspace, kind))
    headers = {"Content-Disposition": f'attachment; filename="{slug}.csv"'}
    return HttpResponse(data, content_type="text/csv; charset=utf-8", headers=headers)


@for_workspace
@require_http_methods(["GET", "HEAD", "POST"])
def import_table(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    """The form, then the plan of the import beside the table, which can be corrected; then the
    import itself, unless the list or the table has changed since the plan was shown.
    """
    kind = kind_of(slug)
    if request.method != "POST":
        return _page(request, kind, TableForm())
    form = TableForm(request.POST, request.FILES)
    plan = form.plan(partial(plan_import, workspace, kind))
    if plan is None:
        return _page(request, kind, form, status=422)
    if "apply" not in request.POST:
        return _page(request, kind, form, plan)
    if request.POST.get("fingerprint") != plan.fingerprint:
        return _page(request, kind, form, plan, changed=True, status=409)
    editing.save_entries(workspace, kind, [row.values for row in plan.of(ADD, CHANGE)])
    messages.success(request, _done(plan))
    return redirect("catalogue:list", slug)


def _page(
    request: HttpRequest,
    kind: Kind,
    form: TableForm,
    plan: Plan | None = None,
    *,
    changed: bool = False,
    status: int = 200,
) -> HttpResponse:
    form.show_text_of_file()
    context = {
        **list_context(kind),
        "form": form,
        "plan": plan,
        "note": form.note,
        "changed": changed,
    }
    plural = context["about"].plural
    context["title"] = f"Import {plural[0].lower()}{plural[1:]}"
    context["columns"] = [HEADINGS[name] for name in spreadsheets.columns_of(kind)]
    if plan:
        context["news"] = len(plan.of(ADD, CHANGE))
        order = tuple(TALLY)
        rows = sorted(plan.rows, key=lambda row: order.index(row.action))
        context["rows"] = sorted(rows[:MOST_SHOWN], key=lambda row: row.line)
        context["left_out"] = max(0, len(rows) - MOST_SHOWN)
        context["tally"] = [(TALLY[action], plan.counts[action]) for action in order]
    return render(request, "office/import.html", context, status=status)


def _done(plan: Plan) -> str:
    added, changed = plan.counts[ADD], plan.counts[CHANGE]
    left = plan.counts[WRONG]
    tail = f" {left} left out, with something wrong in {'it' if left == 1 else 'them'}."
    return f"{added} added, {changed} changed.{tail if left else ''}"
