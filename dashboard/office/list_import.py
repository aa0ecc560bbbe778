"""A list as a table: exported as CSV; imported from a file, a pasted table or plain data, line by
line with the fields that the entry's own page uses. A table is previewed before it is applied.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import chain, zip_longest
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from dashboard.tables import encodings
from dashboard.tables.cells import Cell, cell_text, why_unreadable
from dashboard.tables.limits import UnreadableTable
from dashboard.tables.reading import file_as_text
from dashboard.tables.separated import read_separated
from dashboard.tables.writing import CellValue, write_csv
from dashboard.text.numbers import write_plain
from dashboard.text.plain import cleaned

from . import editing
from .editing import Values
from .entry_forms import WORDS_OF_RETIRED, EntryForm, complete
from .kinds import KEYED_BY_NAME, KIND_SPECS, Kind
from .list_views import SLUGS, for_workspace, kind_of, list_context
from .models import ListEntry
from .record_field import name_what_is_missing

MAX_BYTES = 1_000_000
MAX_ROWS = 5_000
MAX_SHOWN = 300
TOO_LARGE = f"The file is larger than {MAX_BYTES // 1_000_000} MB. Split it."

HEADINGS = {
    "code": "id",
    "name": "name",
    "parent": "pipeline id",
    "price": "price",
    "tax": "tax id",
    "rate": "rate",
    "calling_code": "calling code",
    "value_type": "type",
    "choices": "choices",
    "retired": "retired",
}

WRONG, CHANGE, ADD, SAME = "wrong", "change", "add", "same"
TALLY = {WRONG: "Wrong", CHANGE: "Changed", ADD: "New", SAME: "Unchanged"}

Cells = Mapping[str, str]  # by field name; what is beyond the last heading is under ""


@dataclass(frozen=True)
class PreviewRow:
    """A line of the preview: its number, its values by field, and its errors.

    `changes`: (column, present value, new value).
    """

    line: int
    action: str
    values: Values
    errors: tuple[str, ...]
    code: str
    name: str
    changes: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class ImportPreview:
    """The preview of a table; `ignored`: columns that are not read."""

    rows: tuple[PreviewRow, ...]
    ignored: tuple[str, ...] = ()

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(row.action for row in self.rows)

    @cached_property
    def entries(self) -> list[Values]:
        return [row.values for row in self.rows if row.action in (ADD, CHANGE)]

    @cached_property
    def fingerprint(self) -> str:
        """Return a digest that differs if the table, or its preview, has changed."""
        rows = [(row.line, row.action, sorted(map(repr, row.values.items()))) for row in self.rows]
        return hashlib.sha256(repr(rows).encode("utf-8", "surrogatepass")).hexdigest()


def preview(
    workspace: str, kind: Kind, lines: Iterable[tuple[int, Cells]], ignored: Sequence[str] = ()
) -> ImportPreview:
    fields = EntryForm(workspace=workspace, kind=kind).fields
    existing = {entry.code: entry for entry in editing.entries_of(workspace, kind)}
    first: dict[str, int] = {}
    rows = []
    for line, cells in lines:
        values, errors = _clean(kind, fields, cells)
        code = str(values.get("code", cells.get("code", "")))
        if not errors and first.setdefault(code, line) != line:
            key = HEADINGS["code" if "code" in fields else "name"]
            errors = [f"Line {first[code]} has the same {key}."]
        entry = existing.get(code)
        changes = tuple(_changes(entry, values)) if entry and not errors else ()
        action = WRONG if errors else ADD if entry is None else CHANGE if changes else SAME
        name = cells.get("name", "").strip()
        values = {} if errors else values
        rows.append(PreviewRow(line, action, values, tuple(errors), code, name, changes))
    return ImportPreview(tuple(rows), tuple(ignored))


def _clean(
    kind: Kind, fields: Mapping[str, forms.Field], cells: Cells
) -> tuple[dict[str, Any], list[str]]:
    values: dict[str, Any] = {}
    errors = [f"There are more values than columns: {cells['']}"] if "" in cells else []
    for name, cell in cells.items():
        if name:
            try:
                values[name] = _value(fields, name, cell)
            except ValidationError as error:
                errors += [f"{HEADINGS[name].capitalize()}: {words}" for words in error.messages]
    if not errors:
        try:
            values = complete(kind, values)
        except ValidationError as error:
            errors = error.messages
    return values, errors


def _value(fields: Mapping[str, forms.Field], name: str, cell: str) -> Any:
    if reason := why_unreadable(cell):
        raise ValidationError(reason)
    if name == "retired":
        if cell.strip().lower() not in WORDS_OF_RETIRED:
            raise ValidationError("Enter yes or no.")
        return WORDS_OF_RETIRED[cell.strip().lower()]
    field = fields[name]
    name_what_is_missing(field, str(field.label))
    return field.clean(field.widget.value_from_datadict({name: cell}, {}, name))


def _changes(entry: ListEntry, values: Values) -> Iterator[tuple[str, str, str]]:
    for name, value in values.items():
        old = getattr(entry, name)
        if name in editing.CHANGEABLE and old != value:
            yield HEADINGS[name], _words(name, old), _words(name, value)


def _words(name: str, value: Any) -> str:
    if name == "retired":
        return "yes" if value else "no"
    if name in ("price", "rate"):
        return write_plain(value)
    return ", ".join(value) if isinstance(value, list) else str(value)


def columns_of(kind: Kind) -> tuple[str, ...]:
    own = () if kind in KEYED_BY_NAME else ("code",)
    return (*own, "name", *KIND_SPECS[kind].details, "retired")


def write(kind: Kind, entries: Iterable[ListEntry]) -> bytes:
    """Return the list as UTF-8 with a byte order mark, by which spreadsheet programs detect it."""
    columns = columns_of(kind)
    rows = ([_cell(entry, name) for name in columns] for entry in entries)
    return b"".join(write_csv(chain([[HEADINGS[name] for name in columns]], rows)))


def _cell(entry: ListEntry, name: str) -> CellValue:
    value = getattr(entry, name)
    if isinstance(value, Decimal):
        return value.normalize()
    return " | ".join(value) if name == "choices" else value


def decode(data: bytes) -> tuple[str, str]:
    """Return the text, and a note if its encoding is guessed. Raises UnreadableTable."""
    if len(data) > MAX_BYTES:
        raise UnreadableTable(TOO_LARGE)
    text, encoding = file_as_text(data)
    if len(text) > MAX_BYTES:
        raise UnreadableTable(TOO_LARGE)
    if encoding.certain:
        return text, ""
    words = encodings.ENCODINGS[encoding.value]
    return text, f"Read as {words} (a guess). Check the accents below."


def preview_text(workspace: str, kind: Kind, text: str) -> ImportPreview:
    """Return the preview of a text. Raises UnreadableTable."""
    lines = [row.cleaned() for row in read_separated(text)[0]]
    if len(lines) > MAX_ROWS + 1:
        raise UnreadableTable(f"More than {MAX_ROWS:,} lines. Split the table.")
    words = _header(kind, lines[0].cells if lines else ())
    known = {HEADINGS[name]: name for name in columns_of(kind)}
    header = [known.get(word, "") for word in words]
    ignored = [word for word in words if word and word not in known]
    rows = ((row.number, _row(header, row.cells)) for row in lines[1:])
    return preview(workspace, kind, rows, ignored)


def _header(kind: Kind, cells: Sequence[Cell]) -> list[str]:
    words = [" ".join(cell_text(cell).lower().split()) for cell in cells]
    needed = [HEADINGS[name] for name in columns_of(kind) if name in ("code", "name")]
    missing = [word for word in needed if word not in words]
    if missing:
        named = " and ".join(f"“{word}”" for word in needed)
        raise UnreadableTable(f"The first line must name the columns, and {named} among them.")
    twice = {word for word in words if word and words.count(word) > 1}
    if twice:
        raise UnreadableTable(f"The first line names “{min(twice)}” twice.")
    return words


def _row(header: Sequence[str], cells: Sequence[Cell]) -> Cells:
    texts = [cell_text(cell) for cell in cells]
    row = dict(zip_longest(header, texts[: len(header)], fillvalue=""))
    row.pop("", None)
    beyond = [text for text in texts[len(header) :] if text.strip()]
    return {**row, "": " ".join(beyond)} if beyond else row


def load_reference_lists(
    workspace: str, data: Mapping[str, Sequence[Mapping[str, Any]]]
) -> list[str]:
    """Add or change the entries in `data`, and remove none. Return the ignored parts: unknown
    lists, and unknown columns with their list.

    `data`: rows by the slug of their list, each with values by the headings of a table; "choices"
    are a list. Raises KeyError, ValueError and the like for other shapes, before anything is
    changed.
    """
    previews = {
        SLUGS[slug]: preview(workspace, SLUGS[slug], enumerate(_cells(SLUGS[slug], rows), 1))
        for slug, rows in data.items()
        if slug in SLUGS
    }
    for kind, each in previews.items():
        for row in each.rows:
            if row.errors:
                raise ValueError(f"{kind.label} {row.line}: {' '.join(row.errors)}")
    ignored = [slug for slug in data if slug not in SLUGS]
    for slug in data.keys() & SLUGS.keys():
        known = {HEADINGS[name] for name in columns_of(SLUGS[slug])}
        ignored += {f"{slug}: {key}" for row in data[slug] for key in row if key not in known}
    for kind, each in previews.items():
        editing.save_entries(workspace, kind, each.entries)
    return sorted(ignored)


def _cells(kind: Kind, rows: Iterable[Mapping[str, Any]]) -> Iterator[Cells]:
    for row in rows:
        cells = {}
        for name in columns_of(kind):
            key = HEADINGS[name]
            value = row[key] if name in ("code", "name") else row.get(key)
            if value not in (None, "", []):
                cells[name] = cleaned(" | ".join(value) if isinstance(value, list) else str(value))
        yield cells


class TableForm(forms.Form):
    """A file or a pasted table; the file is read if there are both. `note`: how it was read;
    `preview`: None if the table cannot be read.
    """

    use_required_attribute = False

    file = forms.FileField(
        label="File",
        required=False,
        allow_empty_file=True,
        help_text="CSV, Excel (XLSX) or OpenDocument (ODS).",
    )
    text = forms.CharField(
        label="Or paste the table",
        required=False,
        strip=False,
        max_length=MAX_BYTES,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "autocomplete": "off"}),
    )

    note = ""
    preview: ImportPreview | None = None

    def __init__(self, data: Any, files: Any, *, workspace: str, kind: Kind) -> None:
        super().__init__(data, files)
        self.workspace, self.kind = workspace, kind

    def clean(self) -> dict[str, Any]:
        """Put the table of the file under "text"."""
        file = self.cleaned_data.get("file")
        try:
            if file:
                data = file.read(MAX_BYTES + 1)
                self.cleaned_data["text"], self.note = decode(data)
            if self.errors:
                return self.cleaned_data
            text = self.cleaned_data["text"]
            if file or text.strip():
                self.preview = preview_text(self.workspace, self.kind, text)
            else:
                self.add_error("file", "Choose a file, or paste the table below.")
        except UnreadableTable as error:
            self.add_error("file" if file else "text", str(error))
        return self.cleaned_data

    def show_text_of_file(self) -> None:
        """Show the decoded file as the text, which can be corrected and counts from now on."""
        if self.is_bound and self.files and self.cleaned_data.get("text"):
            self.data = {name: text for name, text in self.cleaned_data.items() if name != "file"}


@for_workspace
@require_safe
def export(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    kind = kind_of(slug)
    headers = {"Content-Disposition": f'attachment; filename="{slug}.csv"'}
    data = write(kind, editing.entries_of(workspace, kind))
    return HttpResponse(data, content_type="text/csv; charset=utf-8", headers=headers)


@for_workspace
def import_table(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    """Show the form, then the preview beside the table, which can be corrected; then import, unless
    the list or the table has changed since the preview was shown.
    """
    kind = kind_of(slug)
    posted = (request.POST, request.FILES) if request.method == "POST" else (None, None)
    form = TableForm(*posted, workspace=workspace, kind=kind)
    if not form.is_valid() or form.preview is None:
        return _page(request, kind, form, status=422 if form.is_bound else 200)
    if "apply" not in request.POST:
        return _page(request, kind, form)
    if request.POST.get("fingerprint") != form.preview.fingerprint:
        return _page(request, kind, form, changed=True, status=409)
    editing.save_entries(workspace, kind, form.preview.entries)
    messages.success(request, _done(form.preview.counts))
    return redirect("catalogue:list", slug)


def _page(
    request: HttpRequest, kind: Kind, form: TableForm, *, changed: bool = False, status: int = 200
) -> HttpResponse:
    form.show_text_of_file()
    plural = KIND_SPECS[kind].plural
    context = {
        **list_context(kind),
        "title": f"Import {plural[0].lower()}{plural[1:]}",
        "form": form,
        "preview": form.preview,
        "changed": changed,
        "columns": [HEADINGS[name] for name in columns_of(kind)],
    }
    if form.preview:
        order = list(TALLY)
        rows = sorted(form.preview.rows, key=lambda row: order.index(row.action))
        context["rows"] = sorted(rows[:MAX_SHOWN], key=lambda row: row.line)
        context["left_out"] = max(0, len(rows) - MAX_SHOWN)
        context["tally"] = [(TALLY[action], form.preview.counts[action]) for action in order]
    return render(request, "office/import.html", context, status=status)


def _done(counts: Counter[str]) -> str:
    wrong = counts[WRONG]
    tail = f" {wrong} skipped because of errors."
    return f"{counts[ADD]} added, {counts[CHANGE]} changed.{tail if wrong else ''}"
