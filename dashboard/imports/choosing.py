"""Takes over what a person has chosen and mended on the page of a file, and what new records have
where it does not say.
"""

from collections.abc import Container
from typing import Any

from django import forms
from django.http import QueryDict

from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.documents.initial import REMEMBERED, usual_values
from dashboard.forms.defaults import default_values
from dashboard.forms.record_form import RecordForm
from dashboard.gateway import whole_number
from dashboard.imports.document_columns import is_document
from dashboard.imports.storage import CREATE, SKIP, UPDATE, Wishes
from dashboard.tables import limits
from dashboard.tables.cells import cell_text
from dashboard.tables.dates import ORDERS
from dashboard.tables.encodings import ENCODINGS
from dashboard.tables.reading import ReadTable
from dashboard.tables.separated import SEPARATORS
from dashboard.text.style import MARKS

LONGEST_CODE = 50  # characters of the code of a list entry


def choose(wishes: Wishes, data: QueryDict, targets: Container[str], *, may_update: bool) -> None:
    """Take over how the file is to be read; what is not among the choices is ignored."""
    before = (wishes.separator, wishes.sheet, wishes.header)
    for name, allowed in (("encoding", ENCODINGS), ("separator", SEPARATORS)):
        if data.get(name, "") in ("", *allowed):
            setattr(wishes, name, data.get(name, ""))
    wishes.sheet = data.get("sheet", "")
    wishes.header = whole_number(data.get("header", ""), least=0)
    known_ones = data.get("known", "")
    wishes.known = known_ones if known_ones in (CREATE, UPDATE) else SKIP
    if wishes.known == UPDATE and not may_update:
        wishes.known = SKIP
    wishes.fields = _by_column(data, "field-", targets)
    wishes.marks = _by_column(data, "mark-", MARKS)
    wishes.orders = _by_column(data, "order-", ORDERS)
    if (wishes.separator, wishes.sheet, wishes.header) != before:
        wishes.fields = None  # the columns are others now
        wishes.marks, wishes.orders = {}, {}


def mend(wishes: Wishes, data: QueryDict, targets: Container[str], table: ReadTable) -> None:
    """Take over the mended cells, what names stand for, and which rows are left out.

    What does not belong to the table is ignored, so that what is stored stays as small as the file;
    and what was typed for another sheet than the one that was read last.
    """
    is_same, wishes.of_sheet = wishes.of_sheet in ("", table.sheet), table.sheet
    if not is_same:
        wishes.mended, wishes.left = {}, []
        return
    numbers = {row.number for row in table.rows}
    for name, text in data.items():
        kind, _, rest = name.partition("-")
        row, _, field = rest.partition("-")
        if kind == "cell" and whole_number(row) in numbers and field in targets:
            wishes.mended.setdefault(row, {})[field] = str(text)
    _take_meanings(wishes, data, targets, table)
    posted = {whole_number(text) for text in data.getlist("row")}
    shown = {number for number in numbers if number in posted}
    left = {number for number in shown if f"left-{number}" in data}
    wishes.left = sorted((set(wishes.left) - shown) | left)


def _take_meanings(
    wishes: Wishes, data: QueryDict, targets: Container[str], table: ReadTable
) -> None:
    """Take over the list entries that texts of the table stand for."""
    if not any(data.getlist("means")):
        return
    texts = texts_of(wishes, table)
    asked = zip(data.getlist("means-field"), data.getlist("means-text"), strict=False)
    for (field, text), code in zip(asked, data.getlist("means"), strict=False):
        if field in targets and text in texts and 0 < len(code) <= LONGEST_CODE:
            wishes.means.setdefault(field, {})[text] = code


def texts_of(wishes: Wishes, table: ReadTable) -> str:
    """All texts of the table, one to a line: a cell may hold several names."""
    cells = [cell_text(cell) for row in table.rows for cell in row.cells]
    return "\n".join([*cells, *(text for row in wishes.mended.values() for text in row.values())])


def _by_column(data: QueryDict, prefix: str, allowed: Container[str]) -> dict[str, str]:
    """What was chosen for each column, by its number."""
    numbers = range(limits.MOST_COLUMNS)
    given = {str(number): str(data.get(f"{prefix}{number}", "")) for number in numbers}
    return {number: value for number, value in given.items() if value in allowed}


def usual_form(resource: Resource, ctx: RequestContext, wishes: Wishes) -> RecordForm:
    """The form of a new record as it begins; of a document with what was chosen for all."""
    initial: dict[str, Any] = default_values(resource.create_form, ctx)
    if is_document(resource) and ctx.person:
        initial = {**usual_values(ctx.person, resource, ctx), **wishes.usual}
    return resource.create_form(ctx=ctx, initial=initial)


def take_usual(wishes: Wishes, data: QueryDict, form: RecordForm) -> None:
    """Take over what was chosen for all documents."""
    for name in REMEMBERED:
        if name in data and name in form.fields:
            text = form.fields[name].widget.value_from_datadict(data, {}, name)
            wishes.usual[name] = str(text or "")[:LONGEST_CODE]


def usual_fields(
    resource: Resource, ctx: RequestContext, wishes: Wishes, used: Container[str]
) -> list[forms.BoundField]:
    """The fields that are chosen for all documents: those without a column."""
    if not is_document(resource):
        return []
    form = usual_form(resource, ctx, wishes)
    return [form[name] for name in REMEMBERED if name not in used]
