"""The lines of a document as part of a form: read from a page or a record, checked, sent.

A page carries each line's cells as `line-<key>-<name>`, and the keys in their order as `line`. A
key stays with its line for as long as the page is open, so moving a line changes only that order.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from dashboard.documents.totals import PERCENT, short
from dashboard.gateway import Record, Unreadable
from dashboard.records.parsing.reading import PLAIN, Style, write_number

MOST_LINES = 300
HEADER, ITEM = "header", "item"
CELLS = (
    "type", "item_name", "item_id", "description", "quantity", "price",
    "discount", "discount_type", "tax_id", "tax_rate",
)  # fmt: skip
TYPED = tuple(name for name in CELLS if name not in ("type", "discount_type"))
WORDS = {
    "item_name": "Item",
    "item_id": "Item number",
    "description": "Description",
    "quantity": "Quantity",
    "price": "Price",
    "discount": "Discount",
    "discount_type": "Kind of discount",
    "tax_id": "Tax",
    "tax_rate": "Tax rate",
}
NUMBERS = ("quantity", "price", "discount", "tax_rate")


@dataclass
class Row:
    """One line as typed: texts by the API's names. `errors` says what is wrong with which.

    `focus`: the cursor begins here.
    """

    key: int
    cells: dict[str, str]
    errors: dict[str, str] = field(default_factory=dict)
    focus: bool = False

    @property
    def header(self) -> bool:
        """Whether this is the title of the lines below it."""
        return self.cells["type"] == HEADER

    @property
    def blank(self) -> bool:
        """Whether nothing has been typed."""
        return not self.header and not any(self.cells[name].strip() for name in TYPED)


def blank_row(key: int, *, header: bool = False) -> Row:
    """A line with nothing on it; a discount, once typed, is in percent."""
    kind = HEADER if header else ITEM
    return Row(key, {**dict.fromkeys(CELLS, ""), "type": kind, "discount_type": str(PERCENT)})


def rows_of(texts: Iterable[Mapping[str, str]]) -> list[Row]:
    """Rows with fresh keys from their cells' texts."""
    return [
        Row(key, {**blank_row(key).cells, **{name: cells.get(name, "") for name in CELLS}})
        for key, cells in enumerate(texts)
    ]


def with_blanks(rows: list[Row], count: int) -> list[Row]:
    """The rows, and after them `count` blank ones, as far as the limit allows."""
    key = next_key(rows)
    room = min(count, MOST_LINES - len(rows))
    return [*rows, *(blank_row(key + number) for number in range(room))]


def next_key(rows: Iterable[Row]) -> int:
    """A key that no row has."""
    return max((row.key for row in rows), default=-1) + 1


def read_rows(data: Any) -> list[Row]:
    """The lines of a submitted page, in order; a key that stands twice counts once."""
    keys = dict.fromkeys(data.getlist("line")) if hasattr(data, "getlist") else {}
    good = [int(key) for key in keys if re.fullmatch("[0-9]{1,4}", key)]
    return [_read_row(data, key) for key in dict.fromkeys(good)][: MOST_LINES + 1]


def filled(rows: Iterable[Row]) -> list[Row]:
    """The rows that somebody typed something on."""
    return [row for row in rows if not row.blank]


def record_texts(record: Record, style: Style = PLAIN) -> list[dict[str, str]]:
    """The lines of a record as texts in a person's style; raises ValueError if they are not all
    readable.
    """
    if why := why_not_rebuilt(record):
        raise ValueError(why)
    return [_record_cells(line, style) for line in record.lines]


def why_not_rebuilt(record: Record) -> str:
    """Why the lines of a record cannot be sent back as they are; "" if they can."""
    if not record.lines_complete:
        return "The service did not send its lines in a form we can read."
    if len(record.lines) > MOST_LINES:
        return f"It has more than {MOST_LINES} lines."
    for number, line in enumerate(record.lines, 1):
        wrong = [WORDS.get(name, name) for name in CELLS if isinstance(line[name], Unreadable)]
        if wrong:
            return f"On line {number} the service sent {', '.join(wrong)} in a form we cannot read."
    return ""


class LinesWidget(forms.Widget):
    """Reads the lines out of a submitted page; they are drawn by `line_table`."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> dict[str, Any]:
        """{"rows": texts of the filled lines}."""
        return {"rows": [row.cells for row in filled(read_rows(data))]}

    def as_sent(self, value: Any) -> object:
        """The lines so that two sets of them can be compared."""
        rows = (value or {}).get("rows", [])
        return [tuple(_one_line(name, cells.get(name, "")) for name in CELLS) for cells in rows]

    def id_for_label(self, id_: str) -> str:
        """The cells have labels of their own."""
        return "lines"


class LinesField(forms.Field):
    """The lines of a document; `line_checks` does the rest, as it knows the cells of the page."""

    widget = LinesWidget

    def shown(self, value: object, style: Style) -> dict[str, Any]:
        """Unused: lines stand under several names in a record; see `record_texts`."""
        return {"rows": []}

    def clean(self, value: dict[str, Any]) -> dict[str, Any]:
        """The texts as they are, at least one and not too many."""
        count = len(value["rows"])
        if not count:
            raise ValidationError("Enter at least one line.", code="required")
        if count > MOST_LINES:
            raise ValidationError(f"Enter at most {MOST_LINES} lines.")
        return value


def _read_row(data: Any, key: int) -> Row:
    cells = {name: data.get(f"line-{key}-{name}", "").replace("\0", "") for name in CELLS}
    cells["type"] = HEADER if cells["type"] == HEADER else ITEM
    return Row(key, cells)


def _record_cells(line: Record, style: Style) -> dict[str, str]:
    values = {name: line[name] for name in CELLS}
    texts = {
        name: _written(name, value, style) if isinstance(value, Decimal) else str(value)
        for name, value in values.items()
        if value is not None
    }
    return {**dict.fromkeys(CELLS, ""), **texts}


def _written(name: str, value: Decimal, style: Style) -> str:
    return write_number(short(value, 2 if name == "price" else 0), style)


def _one_line(name: str, text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if name == "description" else text.replace("\n", "")
