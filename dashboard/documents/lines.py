"""The lines of a document in a form: parsed from a posted page or from a record.

A page posts each line's cells as `line-<key>-<name>`, and the keys in their order as `line`. A
line keeps its key while the page is open, so moving a line changes only that order.

Some cells share one field of the page: a discount with its kind, a tax with its rate. A discount of
10 % is the text "10 %", an amount of 10 is "10 off", so that nobody takes one for the other; "10"
alone is read as an amount, and static/js/lines.js completes it. A tax of the workspace's list is an
option whose value names the tax and the rate; any other rate is typed beside the option OTHER.
"""

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from dashboard.core.service_name import SERVICE, SERVICE_AT_START
from dashboard.documents.totals import FIXED, PERCENT
from dashboard.gateway import Record, Unreadable, whole_number
from dashboard.office.kinds import Kind
from dashboard.office.reference_fields import where_to_find
from dashboard.schema.record_form import locate_error
from dashboard.text.numbers import trimmed, write_number
from dashboard.text.style import PLAIN, Style

MOST_LINES, BLANK_LINES = 300, 3
LARGEST_KEY = 9999  # of a line
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
    "discount_type": "Discount type",
    "tax_id": "Tax",
    "tax_rate": "Tax rate",
}
NUMBERS = ("quantity", "price", "discount", "tax_rate")


@dataclass
class DocumentLine:
    """One line as typed: `cells` are texts by the API's names, `errors` messages by the same names.

    `focus`: the cell that gets the keyboard focus. `pasted`: the line is marked as pasted.
    """

    key: int
    cells: dict[str, str]
    errors: dict[str, str] = field(default_factory=dict)
    focus: str = ""
    pasted: bool = False

    @property
    def header(self) -> bool:
        """Whether the line is a title for the lines below it."""
        return self.cells["type"] == HEADER

    @property
    def blank(self) -> bool:
        """Whether the line has no typed cell and is no header."""
        return not self.header and not any(self.cells[name].strip() for name in TYPED)

    @property
    def priced(self) -> bool:
        """Whether the line has both a quantity and a price, so that it has an amount."""
        return all(self.cells[name].strip() for name in ("quantity", "price"))


def blank_line(key: int, *, header: bool = False) -> DocumentLine:
    """An empty line."""
    return DocumentLine(key, {**dict.fromkeys(CELLS, ""), "type": HEADER if header else ITEM})


def lines_from_texts(texts: Iterable[Mapping[str, str]]) -> list[DocumentLine]:
    """Lines with new keys, from the texts of their cells."""
    return [
        DocumentLine(
            key, {**blank_line(key).cells, **{name: cells.get(name, "") for name in CELLS}}
        )
        for key, cells in enumerate(texts)
    ]


def control_of(row: DocumentLine, name: str, taxes: Container[str]) -> str:
    """The name of the field that shows a cell; `taxes`: the ids that the page offers."""
    if row.header:
        return name if name == "description" else "item_name"
    if name in ("tax_id", "tax_rate"):
        return "tax_rate" if not taxes or shown_tax(row.cells) == OTHER else "tax_id"
    return "discount" if name == "discount_type" else name


def with_blank_lines(rows: list[DocumentLine], count: int) -> list[DocumentLine]:
    """The lines followed by `count` blank ones, up to MOST_LINES in all."""
    key = next_key(rows)
    room = min(count, MOST_LINES - len(rows))
    return [*rows, *(blank_line(key + number) for number in range(room))]


def with_room(rows: list[DocumentLine]) -> list[DocumentLine]:
    """The lines with BLANK_LINES blank ones at the end."""
    used = next((place for place in range(len(rows), 0, -1) if not rows[place - 1].blank), 0)
    return with_blank_lines(rows, max(BLANK_LINES - (len(rows) - used), 0))


def next_key(rows: Iterable[DocumentLine]) -> int:
    """A key that no line has."""
    return max((row.key for row in rows), default=-1) + 1


def read_lines(data: Any) -> list[DocumentLine]:
    """The lines of a submitted page, in order; invalid and repeated keys are ignored."""
    keys = dict.fromkeys(data.getlist("line")) if hasattr(data, "getlist") else {}
    read = (whole_number(key, least=0, largest=LARGEST_KEY) for key in keys)
    good = dict.fromkeys(key for key in read if key is not None)
    return [_read_line(data, key) for key in good][: MOST_LINES + 1]


def lines_of_numbers(text: str) -> list[DocumentLine]:
    """Lines with what their sums need, from a row of text for each: quantity, price, discount and
    tax rate, and "#" for a header, between tabs (static/js/lines/sums.js).
    """
    texts = text.replace("\r", "").replace("\0", "").split("\n")[: MOST_LINES + 1]
    return [_line_of_numbers(key, row.split("\t")) for key, row in enumerate(texts)]


def _line_of_numbers(key: int, texts: list[str]) -> DocumentLine:
    line = blank_line(key, header=texts[len(NUMBERS) :] == ["#"])
    if not line.header:
        line.cells |= dict(zip(NUMBERS, texts, strict=False))
        line.cells["discount"], line.cells["discount_type"] = split_discount(line.cells["discount"])
    return line


def filled_lines(rows: Iterable[DocumentLine]) -> list[DocumentLine]:
    """The lines that are not blank."""
    return [row for row in rows if not row.blank]


def texts_of_record(record: Record, style: Style = PLAIN) -> list[dict[str, str]]:
    """The cells of a record's lines as texts in the given style. Raises ValueError if a line cannot
    be read.
    """
    if why := why_lines_unreadable(record):
        raise ValueError(why)
    return [_record_cells(line, style) for line in record.lines]


def why_lines_unreadable(record: Record) -> str:
    """Why the lines of a record cannot be sent back unchanged; "" if they can."""
    if not record.lines_complete:
        return f"{SERVICE_AT_START} did not send its lines in a form we can read."
    if len(record.lines) > MOST_LINES:
        return f"It has more than {MOST_LINES} lines."
    for number, line in enumerate(record.lines, 1):
        wrong = [WORDS.get(name, name) for name in CELLS if isinstance(line[name], Unreadable)]
        if wrong:
            return f"On line {number} {SERVICE} sent {', '.join(wrong)} in a form we cannot read."
    return ""


class LinesWidget(forms.Widget):
    """Parses the lines of a submitted page; table.line_table prepares them for the template."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> dict[str, Any]:
        """{"rows": texts of the filled lines}."""
        return {"rows": [row.cells for row in filled_lines(read_lines(data))]}

    def posted(self, name: str, value: Any) -> Iterator[tuple[str, list[str]]]:
        """The fields that a page sends for these lines (record_form.posted_fields)."""
        rows = (value or {}).get("rows", [])
        yield "line", [str(key) for key in range(len(rows))]
        for key, cells in enumerate(rows):
            yield from ((f"line-{key}-{cell}", [str(cells.get(cell) or "")]) for cell in CELLS)

    def as_sent(self, value: Any) -> object:
        """The lines as tuples of texts, for comparing two sets of lines."""
        rows = (value or {}).get("rows", [])
        return [_comparable(cells) for cells in rows]

    def id_for_label(self, id_: str) -> str:
        """The id of the whole table; each cell has its own label."""
        return "lines"


class LinesField(forms.Field):
    """The lines of a document; checks only their count. validation.check_lines checks the cells."""

    widget = LinesWidget

    def use(self, workspace: str, whom_to_ask: Callable[[], str]) -> None:
        """Explain where the numbers of items are found if none has a name in this workspace."""
        self.help_text = where_to_find(workspace, Kind.ITEM, whom_to_ask)

    def shown(self, value: object, style: Style) -> dict[str, Any]:
        """No lines; DocumentForm.read calls `texts_of_record`, which needs the whole record."""
        return {"rows": []}

    def clean(self, value: dict[str, Any]) -> dict[str, Any]:
        """The texts unchanged. Raises ValidationError for no line or more than MOST_LINES."""
        count = len(value["rows"])
        if not count:
            raise ValidationError("Enter at least one line.", code="required")
        if count > MOST_LINES:
            raise ValidationError(f"Enter at most {MOST_LINES} lines.")
        return value


def _read_line(data: Any, key: int) -> DocumentLine:
    cells = {name: data.get(f"line-{key}-{name}", "").replace("\0", "") for name in CELLS}
    cells["type"] = HEADER if cells["type"] == HEADER else ITEM
    kind = data.get(f"line-{key}-discount_type")
    cells["discount"], cells["discount_type"] = split_discount(cells["discount"], kind)
    cells["tax_id"], cells["tax_rate"] = split_tax(cells["tax_id"], cells["tax_rate"])
    return DocumentLine(key, cells)


def _comparable(cells: Mapping[str, str]) -> tuple[str, ...]:
    """The cells' texts; without the kind of a discount where there is none."""
    given = {**cells, "discount_type": cells.get("discount") and cells.get("discount_type")}
    return tuple(_normal_newlines(name, given.get(name) or "") for name in CELLS)


def _record_cells(line: Record, style: Style) -> dict[str, str]:
    values = {name: line[name] for name in CELLS}
    texts = {
        name: write_number(trimmed(value, 2 if name == "price" else 0), style)
        if isinstance(value, Decimal)
        else str(value)
        for name, value in values.items()
        if value is not None
    }
    return {**dict.fromkeys(CELLS, ""), **texts}


def _normal_newlines(name: str, text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if name == "description" else text.replace("\n", "")


def locate_cell(key: str, names: Collection[str]) -> tuple[int, str]:
    """The line, from 0, and the cell that a key of the service's errors means; "" for a whole line.

    `names`: the form's fields. Lines may go by another name than "items" if the key names a cell,
    as in "lines.2.price". (MOST_LINES, "") if it means no line.
    """
    name, inner = locate_error(key, names)
    if not name:
        _, _, inner = key.partition(".")
    number, _, cell = inner.partition(".")
    is_line = name == "items" or (not name and cell in CELLS)
    return (int(number), cell) if is_line and number.isdecimal() else (MOST_LINES, "")


def mark_cell(row: DocumentLine, cell: str, error: str) -> None:
    """Store an error; at the item's name if the row has no such cell, as a header."""
    if cell in WORDS and not row.header:
        row.errors[cell] = error
    else:
        row.errors["item_name"] = f"{cell}: {error}" if cell not in ("", "item_name") else error


OTHER = "other"
NO_TAX = "|"
UNITS = {str(PERCENT): "%", str(FIXED): "off"}  # behind a discount, by its kind


def shown_discount(cells: Mapping[str, str]) -> str:
    """The text of the discount field: with its unit; an amount only if it may be a number."""
    text, kind = cells["discount"], cells["discount_type"]
    is_said = text.strip() if kind == str(PERCENT) else text.strip()[-1:].isdigit()
    return f"{text} {UNITS[kind]}" if is_said and kind in UNITS else text


def without_kind(cells: Mapping[str, str]) -> bool:
    """Whether the line has a discount whose kind the service left out; it is fixed."""
    return bool(cells["discount"].strip()) and not cells["discount_type"]


def split_discount(text: str, kind: str | None = None) -> tuple[str, str]:
    """The discount and the code of its kind; `kind`: that of a text without a unit."""
    for code, unit in UNITS.items():
        number = text.strip().removesuffix(unit).rstrip()
        if number and text.strip().endswith(unit):
            return number, code
    return text, (str(FIXED) if kind is None else kind) if text.strip(" %") else ""


def tax_value(tax: str, rate: str) -> str:
    """The value of the option of a tax with a rate; NO_TAX for neither."""
    return f"{tax}|{rate}"


def shown_tax(cells: Mapping[str, str]) -> str:
    """The value of the option that a line's tax needs: OTHER for a rate without a tax."""
    tax, rate = cells["tax_id"], cells["tax_rate"]
    return OTHER if rate.strip() and not tax else tax_value(tax, rate)


def split_tax(value: str, rate: str) -> tuple[str, str]:
    """The tax and its rate; `rate` is the typed one, which counts with OTHER or without options."""
    if value == OTHER:
        return "", rate
    tax, mark, of_option = value.rpartition("|")
    return (tax, of_option) if mark else (value, rate)
