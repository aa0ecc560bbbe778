"""The columns of a table of documents: those of the document, and those of its lines."""

from django import forms

from dashboard.core.service_name import SERVICE_AT_START
from dashboard.documents import lines
from dashboard.documents.cells import OPEN
from dashboard.documents.form import DocumentForm
from dashboard.documents.lines import CELLS, HEADER, ITEM, LABELS, UNITS
from dashboard.documents.totals import FIXED, PERCENT
from dashboard.gateway import Unreadable
from dashboard.imports.target_names import LINE
from dashboard.schema.inputs import NumberField
from dashboard.schema.resource import Resource
from dashboard.tables import headings
from dashboard.tables.cells import Cell, Percent, cell_text, is_blank
from dashboard.tables.columns import UnreadableCell, number_of
from dashboard.tables.reading import TableColumn
from dashboard.text.numbers import write_number
from dashboard.text.style import Style

TYPE, DISCOUNT, DISCOUNT_TYPE, TOTAL = (
    f"{LINE}type",
    f"{LINE}discount",
    f"{LINE}discount_type",
    "total",
)
FILE_TOTAL = f"{LINE}total"  # of the document or of the line: compared, never sent
NUMBERS = frozenset((*(f"{LINE}{name}" for name in lines.NUMBERS), FILE_TOTAL))
WITH_UNITS = {DISCOUNT: tuple(UNITS.values()), f"{LINE}tax_rate": ("%",)}
CHOICES = {
    TYPE: {ITEM: "Item", HEADER: "Header", TOTAL: "Total of other lines"},
    DISCOUNT_TYPE: {str(PERCENT): "Percentage", str(FIXED): "Fixed"},
}
OTHER_WORDS = {
    TYPE: {"line": ITEM, "position": ITEM, "product": ITEM, "service": ITEM, "heading": HEADER,
           "title": HEADER, "section": HEADER, "subtotal": TOTAL, "sum": TOTAL},
    DISCOUNT_TYPE: {**{unit: code for code, unit in UNITS.items()}, "percent": str(PERCENT),
                    "amount": str(FIXED)},
}  # fmt: skip
OF_THE_RECORD = ("id", "no")  # headings of the document itself
NUMBER = "number"  # of a document, in the table of headings
UNREAD = str(Unreadable(None))
NOT_READ = (
    f"{SERVICE_AT_START} sent this in a form that could not be read. Type it again or empty it."
)


def is_document(resource: Resource) -> bool:
    """Whether its records have lines."""
    return issubclass(resource.create_form, DocumentForm)


def first_status(resource: Resource) -> dict[str, str]:
    """The status of a new document, as text by its field (reference, section 3)."""
    names = (field.name for field in resource.endpoint.fields if field.name.endswith("_status"))
    return dict.fromkeys(names, str(OPEN))


def head_targets(resource: Resource) -> dict[str, str]:
    """The labels of the fields of a document by name, its number first."""
    fields = resource.create_form.base_fields.items()
    return {resource.title_field: "Number"} | {
        name: str(field.label)
        for name, field in fields
        if name != "items" and not isinstance(field.widget, forms.HiddenInput)
    }


def line_targets() -> dict[str, str]:
    """The labels of the cells of a line by their names behind LINE."""
    names = [name for name in CELLS if name != "type"]
    labels = {**LABELS, "discount_type": "Line discount type", "total": "Total, compared"}
    return {f"{LINE}{name}": labels[name] for name in (*names, "type", "total")}


def words_of_target(resource: Resource, name: str) -> list[str]:
    """Other headings of the columns that go to a field of a document or to a cell of a line."""
    if name == resource.title_field:
        noun = resource.singular
        own = [noun, f"{noun} no", f"{noun} number", f"{noun} id"]
        return [*headings.words_of_record(resource.name, NUMBER), *own]
    if not name.startswith(LINE):
        return headings.words_of_record(resource.name, name)
    words = headings.words_of(headings.LINES, name.removeprefix(LINE))
    return [word for word in words if word not in OF_THE_RECORD]


def field_of(name: str) -> forms.Field | None:
    """A field of the kind of a cell of a line that is a number; None for a text."""
    return NumberField() if name in NUMBERS else None


def refuse_unread(cell: Cell) -> None:
    """Raises UnreadableCell for a cell in which an export of this dashboard says that it could not
    read a value.
    """
    if cell == UNREAD:
        raise UnreadableCell(NOT_READ)


def line_text(name: str, cell: Cell, column: TableColumn, style: Style) -> str:
    """The cell of a line as a person would type it. Raises UnreadableCell."""
    refuse_unread(cell)
    text = cell_text(cell).strip()
    if is_blank(cell):
        return ""
    if name in CHOICES:
        return _code(name, text)
    if name not in NUMBERS:
        return f"{write_number(cell, style)}%" if isinstance(cell, Percent) else text
    unit = next((unit for unit in WITH_UNITS.get(name, ()) if text.endswith(unit)), "")
    is_text = isinstance(cell, str)
    number = number_of(text.removesuffix(unit) if unit and is_text else cell, column.mark.value)
    kept = unit if name == DISCOUNT else ""
    return f"{write_number(number, style)} {kept}".strip()


def _code(name: str, text: str) -> str:
    words = {word.casefold(): code for code, word in CHOICES[name].items()}
    code = {**OTHER_WORDS[name], **words}.get(text.casefold())
    if code or text in CHOICES[name]:
        return code or text
    raise UnreadableCell(f"“{text}” is not one of {', '.join(CHOICES[name].values())}.")
