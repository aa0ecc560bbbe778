"""The content of an export: the columns of the list, all fields, or lines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property

from django.utils import timezone

from dashboard.gateway import Record
from dashboard.gateway.api import CURRENCY_FIELDS, LINE_FIELDS
from dashboard.people.context import RequestContext
from dashboard.schema.cells import Names
from dashboard.schema.resource import Column, Detail, Resource
from dashboard.tables.writing import CellValue

COLUMNS, ALL, LINES = "columns", "all", "lines"
ALL_LABEL = "All fields (slower: reads every record)"
LINES_LABEL = "All fields, one row per line item (slower)"
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
    reads_each: bool = False

    @property
    def has_ids(self) -> bool:
        return self.key != COLUMNS

    @cached_property
    def has_currency(self) -> bool:
        is_shown = any(part.name in CURRENCY_FIELDS for part in self.parts)
        return not is_shown and any(part.is_amount for part in self.parts)

    def headings(self) -> list[str]:
        headings = ["ID"] if self.has_ids else []
        for part in self.parts:
            headings.append(part.label)
            if part.points_to and self.has_ids:
                headings.append(f"{part.label} ID")
        if self.has_currency:
            headings.append("Currency")
        if self.key == LINES:
            headings += LINE_LABELS.values()
        return headings

    def rows(self, record: Record, ctx: RequestContext, names: Names) -> Iterator[list[CellValue]]:
        """Yield the rows of a record: one, or one per line of a document."""
        own: list[CellValue] = [Decimal(record.id)] if self.has_ids else []
        for part in self.parts:
            raw = record.get(part.name)
            if isinstance(raw, Decimal | date):
                own.append(_typed(raw))
            else:
                own.append(part.value(record, ctx, names).words)
            if part.points_to and self.has_ids:
                own.append(Decimal(raw) if isinstance(raw, int) else None)
        if self.has_currency:
            own.append(names.currencies.of(record, ctx))
        if self.key != LINES:
            yield own
            return
        for line in record.lines or [None]:
            yield own + [None if line is None else line_value(line, name) for name in LINE_LABELS]


def contents_of(resource: Resource, columns: Sequence[Column]) -> dict[str, ExportContent]:
    """Return the choices for a list by key. `columns`: those that it shows."""
    slow = any(column.from_record for column in columns)
    contents = [ExportContent(COLUMNS, "The columns of this list", tuple(columns), reads_each=slow)]
    fields = _all_parts(resource)
    if "get" not in resource.endpoint.operations:
        listed = {field.name for field in resource.endpoint.fields}
        fields = tuple(part for part in fields if part.name in listed)
        contents.append(ExportContent(ALL, "All fields of the list", fields))
    else:
        contents.append(ExportContent(ALL, ALL_LABEL, fields, reads_each=True))
    if any(field.kind == "lines" for field in resource.endpoint.create):
        sent = _with_sent(resource, fields)
        contents.append(ExportContent(LINES, LINES_LABEL, sent, reads_each=True))
    return {content.key: content for content in contents}


def _all_parts(resource: Resource) -> tuple[Detail, ...]:
    parts: dict[str, Detail] = {}
    for part in (*resource.columns, *resource.details):
        parts.setdefault(part.name, part)
    return tuple(parts.values())


def _with_sent(resource: Resource, parts: tuple[Detail, ...]) -> tuple[Detail, ...]:
    names = {part.name for part in parts}
    sent = (field.name for field in resource.endpoint.create if field.kind != "lines")
    return (*parts, *(resource.detail(name) for name in sent if name not in names))


def _typed(raw: Decimal | date) -> CellValue:
    if isinstance(raw, datetime) and raw.tzinfo:
        return raw.astimezone(timezone.get_default_timezone()).replace(tzinfo=None)
    return raw


_LINE_WORDS = {field.name: dict(field.choices) for field in LINE_FIELDS if field.choices}


def line_value(line: Record, name: str) -> CellValue:
    """Return a field of a line item: numbers unchanged, codes in words."""
    raw = line.get(name)
    if isinstance(raw, Decimal):
        return raw
    word = _LINE_WORDS.get(name, {}).get(raw) if isinstance(raw, int | str) else None
    return word or ("" if raw is None else str(raw))
