"""The content of an export: the columns of the list, all fields, or lines."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from django.utils import timezone

from dashboard.gateway import Record
from dashboard.gateway.api import CURRENCY_FIELDS, LINE_FIELDS
from dashboard.people.context import RequestContext
from dashboard.schema.cells import Names
from dashboard.schema.money import currency_of
from dashboard.schema.resource import Column, Detail, Resource
from dashboard.tables.writing import CellValue

COLUMNS, ALL, LINES = "columns", "all", "lines"
ALL_LABEL = "All fields; each record is read by itself, which takes longer"
LINES_LABEL = "All fields, one row for each line of a document; takes longer as well"
Value = Callable[[Record, RequestContext, Names], CellValue]
LINE_LABELS = {
    "item_id": "Item ID",
    "item_name": "Item",
    "quantity": "Quantity",
    "price": "Price",
    "type": "Kind of line",
    "description": "Description",
    "discount": "Discount",
    "discount_type": "Discount type",
    "tax_id": "Tax ID",
    "tax_rate": "Tax rate",
}


@dataclass(frozen=True)
class ExportContent:
    """A choice of content.

    `parts`: the displayed fields, whose references are resolved. `reads_each`: every record is read
    by itself, as the list lacks some fields.
    """

    key: str
    label: str
    parts: tuple[Detail, ...]
    headings: tuple[str, ...]
    values: tuple[Value, ...]
    reads_each: bool = False

    def rows(self, record: Record, ctx: RequestContext, names: Names) -> Iterator[list[CellValue]]:
        """Yield the rows of a record: one, or one per line of a document."""
        own = [value(record, ctx, names) for value in self.values]
        if self.key != LINES:
            yield own
            return
        for line in record.lines or [None]:
            yield own + [None if line is None else line_value(line, name) for name in LINE_LABELS]


def contents_of(resource: Resource, columns: Sequence[Column]) -> dict[str, ExportContent]:
    """Return the choices for a list by key. `columns`: those that it shows."""
    slow = any(column.from_record for column in columns)
    contents = [_content(COLUMNS, "The columns of this list", columns, reads_each=slow)]
    fields = _all_parts(resource)
    if "get" not in resource.endpoint.operations:
        listed = {field.name for field in resource.endpoint.fields}
        fields = tuple(part for part in fields if part.name in listed)
        contents.append(_content(ALL, "All fields of the list", fields))
    else:
        contents.append(_content(ALL, ALL_LABEL, fields, reads_each=True))
    if any(field.kind == "lines" for field in resource.endpoint.create):
        contents.append(_content(LINES, LINES_LABEL, _with_sent(resource, fields), reads_each=True))
    return {content.key: content for content in contents}


def _content(
    key: str, label: str, parts: Sequence[Detail], *, reads_each: bool = False
) -> ExportContent:
    headings: list[str] = []
    values: list[Value] = []
    if key != COLUMNS:
        headings.append("ID")
        values.append(_id)
    for part in parts:
        headings.append(part.label)
        values.append(_value(part))
        if part.points_to and key != COLUMNS:
            headings.append(f"{part.label} ID")
            values.append(_number(part.name))
    names = {part.name for part in parts}
    if any(part.is_amount for part in parts) and not names & set(CURRENCY_FIELDS):
        headings.append("Currency")
        values.append(_currency)
    if key == LINES:
        headings += LINE_LABELS.values()
    return ExportContent(key, label, tuple(parts), tuple(headings), tuple(values), reads_each)


def _all_parts(resource: Resource) -> tuple[Detail, ...]:
    parts: dict[str, Detail] = {}
    for part in (*resource.columns, *resource.details):
        parts.setdefault(part.name, part)
    return tuple(parts.values())


def _with_sent(resource: Resource, parts: tuple[Detail, ...]) -> tuple[Detail, ...]:
    """Return the parts and all other fields needed to import the document again."""
    names = {part.name for part in parts}
    sent = (field.name for field in resource.endpoint.create if field.kind != "lines")
    return (*parts, *(resource.detail(name) for name in sent if name not in names))


def _value(part: Detail) -> Value:
    def value(record: Record, ctx: RequestContext, names: Names) -> CellValue:
        raw = record.get(part.name)
        if isinstance(raw, Decimal | date):
            return _typed(raw)
        return part.value(record, ctx, names).words

    return value


def _typed(raw: Decimal | date) -> CellValue:
    """Keep numbers and dates; convert a moment to the time zone of the dashboard."""
    if isinstance(raw, datetime) and raw.tzinfo:
        return raw.astimezone(timezone.get_default_timezone()).replace(tzinfo=None)
    return raw


def _number(name: str) -> Value:
    def value(record: Record, ctx: RequestContext, names: Names) -> CellValue:
        raw = record.get(name)
        return Decimal(raw) if isinstance(raw, int) else None

    return value


def _currency(record: Record, ctx: RequestContext, names: Names) -> CellValue:
    return names.currencies.names.get(record.id) or currency_of(record, ctx)


def _id(record: Record, ctx: RequestContext, names: Names) -> CellValue:
    return Decimal(record.id)


_LINE_WORDS = {field.name: dict(field.choices) for field in LINE_FIELDS if field.choices}


def line_value(line: Record, name: str) -> CellValue:
    """Return a field of a line item: numbers unchanged, codes in words."""
    raw = line.get(name)
    if isinstance(raw, Decimal):
        return raw
    word = _LINE_WORDS.get(name, {}).get(raw) if isinstance(raw, int | str) else None
    return word or ("" if raw is None else str(raw))
