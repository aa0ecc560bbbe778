"""The lines of a document in a form: read from a posted page or a record, completed and checked.

A page posts each line's cells as `line-<key>-<name>`, and the keys in their order as `line`. A
line keeps its key while the page is open, so moving a line changes only that order.

Some cells share one field of the page: a discount with its kind, a tax with its rate. A discount of
10 % is the text "10 %", an amount of 10 is "10 off", so that nobody takes one for the other; "10"
alone is read as an amount, and static/js/lines.js completes it. A tax of the workspace's list is an
option whose value names the tax and the rate; any other rate is typed beside the option OTHER.
"""

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from dashboard.core.service_name import SERVICE
from dashboard.documents.price_list import (
    NOTHING,
    PriceList,
    price_list_of,
    write_price,
    write_rate,
)
from dashboard.documents.totals import FIXED, PERCENT, ZERO, LineAmounts, rounded
from dashboard.gateway import Record, Unreadable, whole_number
from dashboard.office.kinds import Kind
from dashboard.office.record_field import RecordField
from dashboard.office.reference_fields import where_to_find
from dashboard.people.context import RequestContext
from dashboard.schema.money import smallest_unit
from dashboard.text.amounts import why_foreign
from dashboard.text.numbers import has_currency_sign, read_number, trimmed, write_number
from dashboard.text.plain import cleaned
from dashboard.text.style import PLAIN, NotReadable, Style

MAX_LINES, BLANK_LINES = 300, 3
MAX_KEY = 9999  # of a line
HEADER, ITEM = "header", "item"
LABELS = {  # of the cells by the API's names
    "type": "Kind of line",
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
CELLS = tuple(LABELS)
NUMBERS = ("quantity", "price", "discount", "tax_rate")
TAXES = ("tax_id", "tax_rate")
ITEM_ID = re.compile("-?[0-9]{1,18}")
UNKNOWN_ITEM = "No item has the number {}. Choose another, or ask for it to be added to your list."
NO_ITEM = "This item isn't in your list. Choose another, or enter its item number."
NO_UNIT = "Enter 10% or 10 off: the file doesn't say which."
OTHER_ITEM = "Item {} is not “{}”. Correct one of them, or empty this one."
OTHER = "other"
NO_TAX = "|"
UNITS = {str(PERCENT): "%", str(FIXED): "off"}  # after a discount, by its kind


@dataclass
class DocumentLine:
    """One line as typed: `cells` are texts by the API's names, `errors` messages by the same names.

    `focus`: the cell that gets the keyboard focus. `is_pasted`: the line is marked as pasted.
    """

    key: int
    cells: dict[str, str]
    errors: dict[str, str] = field(default_factory=dict)
    focus: str = ""
    is_pasted: bool = False

    @property
    def is_header(self) -> bool:
        return self.cells["type"] == HEADER

    @property
    def is_blank(self) -> bool:
        """Return whether the line has no typed cell and is no header."""
        typed = (text for name, text in self.cells.items() if name not in ("type", "discount_type"))
        return not self.is_header and not any(text.strip() for text in typed)

    @property
    def is_priced(self) -> bool:
        return all(self.cells[name].strip() for name in ("quantity", "price"))

    @property
    def discount(self) -> str:
        """Return the text of the discount field: with its unit; an amount only if it may be a
        number.
        """
        text, kind = self.cells["discount"], self.cells["discount_type"]
        has_unit = text.strip() if kind == str(PERCENT) else text.strip()[-1:].isdigit()
        return f"{text} {UNITS[kind]}" if has_unit and kind in UNITS else text

    @property
    def lacks_discount_type(self) -> bool:
        """Return whether the service left out the kind of the discount; it is fixed."""
        return bool(self.cells["discount"].strip()) and not self.cells["discount_type"]

    @property
    def tax(self) -> str:
        """Return the value of the option that the tax needs: OTHER for a rate without a tax."""
        tax, rate = self.cells["tax_id"], self.cells["tax_rate"]
        return OTHER if rate.strip() and not tax else tax_value(tax, rate)

    def control(self, name: str, taxes: Container[str]) -> str:
        """Return the name of the field that shows a cell; `taxes`: the ids that the page offers."""
        if self.is_header:
            return name if name == "description" else "item_name"
        if name in TAXES:
            return "tax_rate" if not taxes or self.tax == OTHER else "tax_id"
        return "discount" if name == "discount_type" else name

    def numbers(self, style: Style) -> tuple[dict[str, Decimal | None], dict[str, str]]:
        numbers: dict[str, Decimal | None] = {}
        errors: dict[str, str] = {}
        for name in NUMBERS:
            text = self.cells[name].strip()
            try:
                numbers[name] = read_number(text, style) if text else None
            except NotReadable as error:
                numbers[name], errors[name] = None, str(error)
        return numbers, errors

    def foreign_amounts(self, currency: str) -> dict[str, str]:
        """Return the errors of cells in another currency than the one with this name."""
        written = {name: self.cells[name] for name in ("price", "discount")}
        return {
            name: reason
            for name, text in written.items()
            if has_currency_sign(text) and (reason := why_foreign(text, currency))
        }

    def amounts(self, style: Style) -> LineAmounts:
        numbers, errors = self.numbers(style)
        if errors:
            return LineAmounts(is_header=self.is_header, is_unreadable=not self.is_header)
        return _amounts(numbers, self._discount_type(), is_header=self.is_header)

    def fill(
        self,
        texts: Mapping[str, str],
        price_list: PriceList,
        style: Style,
        *,
        is_percent: bool = False,
    ) -> None:
        """Take the texts of some cells as a table has them, and complete the line. A blank tax
        beside a price means that there is none. `is_percent`: a discount without a unit is in
        percent.
        """
        given = dict(texts)
        if "item_name" in given:
            self.cells["item_id"] = ""  # it was that of the previous item
        if tax := price_list.tax(given.get("tax_id", "")):
            given["tax_id"] = tax.code
        if given.get("tax_rate"):
            given["tax_rate"] = given["tax_rate"].removesuffix("%").strip()
            given["tax_id"] = given.get("tax_id") or tax_of(given["tax_rate"], price_list, style)
        if "discount" in given:
            kind = str(PERCENT) if is_percent else given.get("discount_type")
            given["discount"], given["discount_type"] = split_discount(given["discount"], kind)
        self.cells.update(given)
        is_untaxed = given.keys() & {*TAXES} and given.get("price")
        self.complete(price_list, style, takes_tax=not is_untaxed)

    def complete(self, price_list: PriceList, style: Style, *, takes_tax: bool = True) -> None:
        """Fill in, from the price list, what is missing of an item that is given by its name or its
        number alone, and the rate of a tax. Only empty cells are filled, so nothing typed is
        replaced.
        """
        cells = self.cells
        if self.is_header:
            return
        item = None
        if not cells["item_id"].strip():
            item = price_list.item(cells["item_name"])
        elif not cells["item_name"].strip():
            item = price_list.item_of_id(cells["item_id"])
        if item:
            cells.update(item_id=item.code, item_name=item.name)
            if not cells["price"].strip():
                cells["price"] = write_price(item, style)
            if takes_tax and not cells["tax_id"] and not cells["tax_rate"].strip():
                cells["tax_id"] = item.tax
        cells["tax_id"] = price_list.tax_code(cells["tax_id"])
        if not cells["tax_rate"].strip():
            cells["tax_rate"] = write_rate(price_list.taxes.get(cells["tax_id"]), style)

    def check(self, style: Style, header_item: int | None, currency: str) -> dict[str, Any]:
        """Return the body of the line; add errors to `errors`. `header_item`: the item id that is
        sent with a header. `currency`: that of the price.
        """
        name = self.cells["item_name"].strip()
        if not name and self.is_header:
            self.errors["item_name"] = "Give this header a title, or remove it."
        elif not name:
            self.errors["item_name"] = "Enter an item."
        item = header_item if self.is_header else self._check_item_id()
        body = {
            "type": HEADER if self.is_header else ITEM,
            "item_name": name,
            "item_id": item,
            **self._check_numbers(style, currency),
            "tax_id": self.cells["tax_id"].strip(),
            "description": self.cells["description"],
        }
        return {name: value for name, value in body.items() if value not in (None, "")}

    def _check_item_id(self) -> int | None:
        text = self.cells["item_id"].strip()
        if ITEM_ID.fullmatch(text):
            return int(text)
        self.errors["item_id"] = "Enter a whole number." if text else NO_ITEM
        return None

    def _check_numbers(self, style: Style, currency: str) -> dict[str, Decimal | int | None]:
        numbers, errors = self.numbers(style)
        for name in ("quantity", "price"):
            if self.is_header:
                numbers[name] = numbers[name] or ZERO
            elif numbers[name] is None:
                errors.setdefault(name, f"Enter a {LABELS[name].lower()}.")
        for name in ("discount", "tax_rate"):
            if (numbers[name] or 0) < 0:
                errors[name] = "Enter 0 or more."
        discount, kind = numbers["discount"], self._discount_type()
        if kind == PERCENT and (discount or 0) > 100:
            errors["discount"] = "Enter 100% or less."
        amount = (numbers["quantity"] or ZERO) * (numbers["price"] or ZERO)
        is_read = not {"quantity", "price"}.intersection(errors)
        is_less = kind != PERCENT and is_read and 0 <= amount < (discount or 0)
        if is_less and rounded(amount - (discount or ZERO), smallest_unit(currency)):
            errors["discount"] = f"Enter {write_number(amount, style)} or less."
        self.errors |= errors
        return {**numbers, "discount_type": None if discount is None else kind}

    def _discount_type(self) -> int | None:
        kind = self.cells["discount_type"]
        return int(kind) if kind in UNITS else None

    def mark_rejected(self, cell: str, error: str) -> None:
        """Store an error of the service; at the item's name if the line has no such cell, as a
        header.
        """
        if cell in CELLS and cell != "type" and not self.is_header:
            self.errors[cell] = error
            return
        label = LABELS[cell] if cell in CELLS and cell != "item_name" else ""
        self.errors["item_name"] = f"{label}: {error}" if label else error


def blank_line(key: int, *, is_header: bool = False) -> DocumentLine:
    return DocumentLine(key, {**dict.fromkeys(CELLS, ""), "type": HEADER if is_header else ITEM})


def lines_from_texts(texts: Iterable[Mapping[str, str]]) -> list[DocumentLine]:
    lines = []
    for key, cells in enumerate(texts):
        line = blank_line(key)
        line.cells |= {name: cells[name] for name in CELLS if name in cells}
        lines.append(line)
    return lines


def pad_with_blank_lines(lines: Sequence[DocumentLine]) -> list[DocumentLine]:
    """Return the lines with BLANK_LINES blank ones at the end, up to MAX_LINES in all."""
    used = max((place for place, line in enumerate(lines, 1) if not line.is_blank), default=0)
    missing = min(BLANK_LINES + used, MAX_LINES) - len(lines)
    key = next_key(lines)
    return [*lines, *(blank_line(key + number) for number in range(missing))]


def next_key(lines: Iterable[DocumentLine]) -> int:
    return max((line.key for line in lines), default=-1) + 1


def filled_lines(lines: Iterable[DocumentLine]) -> list[DocumentLine]:
    return [line for line in lines if not line.is_blank]


def check_lines(
    lines: Sequence[DocumentLine],
    style: Style = PLAIN,
    *,
    price_list: PriceList = NOTHING,
    currency: str = "",
    unchanged: Collection[str] = (),
) -> list[dict[str, Any]]:
    """Return the body of each line; errors are stored in the lines. `currency`: that of the prices.
    `unchanged`: the item numbers of the record as it was opened, which are accepted as they are.
    """
    bodies = []
    for place, line in enumerate(lines):
        body = line.check(style, header_item_id(lines, place), currency)
        number: int | None = body.get("item_id")
        if number is None and all(each.is_header for each in lines):
            asked = f"Add an item below this header: {SERVICE} requires one."
            line.errors.setdefault("item_name", asked)
        is_kept = line.is_header or str(number) in unchanged
        if number is not None and not is_kept and not price_list.accepts(number):
            line.errors["item_id"] = UNKNOWN_ITEM.format(number)
        if not price_list.accepts_tax(line.cells["tax_id"].strip()):
            line.errors["tax_id"] = f"There is no tax “{line.cells['tax_id']}”."
        line.errors |= line.foreign_amounts(currency)
        bodies.append(body)
    return bodies


def header_item_id(lines: Sequence[DocumentLine], place: int) -> int | None:
    """Return the item id to send with the header at `place`, as the API requires one of it, too.

    Its own if it has one, else that of the nearest item line below, else of the nearest above; None
    if no line has a readable id.
    """
    below, above = lines[place + 1 :], reversed(lines[:place])
    near = [lines[place], *(line for line in (*below, *above) if not line.is_header)]
    texts = (line.cells["item_id"].strip() for line in near)
    return next((int(text) for text in texts if ITEM_ID.fullmatch(text)), None)


def read_lines(data: Any) -> list[DocumentLine]:
    """Return the lines of a submitted page, in order; invalid and repeated keys are ignored."""
    keys = dict.fromkeys(data.getlist("line")) if hasattr(data, "getlist") else {}
    read = (whole_number(key, least=0, largest=MAX_KEY) for key in keys)
    good = dict.fromkeys(key for key in read if key is not None)
    return [_read_line(data, key) for key in good][: MAX_LINES + 1]


def _read_line(data: Any, key: int) -> DocumentLine:
    cells = {name: data.get(f"line-{key}-{name}", "").replace("\0", "") for name in CELLS}
    cells["type"] = HEADER if cells["type"] == HEADER else ITEM
    kind = data.get(f"line-{key}-discount_type")
    cells["discount"], cells["discount_type"] = split_discount(cells["discount"], kind)
    cells["tax_id"], cells["tax_rate"] = split_tax(cells["tax_id"], cells["tax_rate"])
    return DocumentLine(key, cells)


def lines_of_numbers(text: str) -> list[DocumentLine]:
    """Parse lines with what their sums need, from a row of text for each: quantity, price, discount
    and tax rate, and "#" for a header, between tabs (static/js/lines/sums.js).
    """
    lines = []
    rows = cleaned(text).replace("\r", "").replace("\0", "").split("\n")
    for key, row in enumerate(rows[: MAX_LINES + 1]):
        texts = row.split("\t")
        line = blank_line(key, is_header=texts[len(NUMBERS) :] == ["#"])
        if not line.is_header:
            cells = dict(zip(NUMBERS, texts, strict=False))
            discount, kind = split_discount(cells.get("discount", ""))
            line.cells |= {**cells, "discount": discount, "discount_type": kind}
        lines.append(line)
    return lines


def texts_of_record(record: Record, style: Style = PLAIN) -> list[dict[str, str]]:
    """Return the cells of a record's lines as texts in the given style. Raises ValueError if a line
    cannot be read.
    """
    if why := why_lines_unreadable(record):
        raise ValueError(why)
    return [{name: _text(name, line[name], style) for name in CELLS} for line in record.lines]


def _text(name: str, value: object, style: Style) -> str:
    if isinstance(value, Decimal):
        return write_number(trimmed(value, 2 if name == "price" else 0), style)
    return "" if value is None else str(value)


def why_lines_unreadable(record: Record) -> str:
    """Return why the lines of a record cannot be sent back unchanged; "" if they can."""
    if not record.lines_complete:
        return f"We couldn't read its lines from {SERVICE}."
    if len(record.lines) > MAX_LINES:
        return f"It has more than {MAX_LINES} lines."
    for number, line in enumerate(record.lines, 1):
        wrong = [label for name, label in LABELS.items() if isinstance(line[name], Unreadable)]
        if wrong:
            return f"We couldn't read {', '.join(wrong)} on line {number} from {SERVICE}."
    return ""


def amounts_of_record(line: Record) -> LineAmounts:
    """Return the numbers of a line as the service sent it; an unreadable number counts as zero."""
    numbers = {name: line[name] for name in NUMBERS}
    return _amounts(numbers, line["discount_type"], is_header=line["type"] == HEADER)


def _amounts(
    numbers: Mapping[str, Decimal | None], kind: int | None, *, is_header: bool
) -> LineAmounts:
    return LineAmounts(
        quantity=numbers["quantity"] or ZERO,
        price=numbers["price"] or ZERO,
        discount=numbers["discount"] or ZERO,
        discount_type=kind or None,
        rate=numbers["tax_rate"] or ZERO,
        is_header=is_header,
    )


class LinesWidget(forms.Widget):
    price_list = NOTHING

    def value_from_datadict(self, data: Any, files: Any, name: str) -> dict[str, Any]:
        """Return {"rows": texts of the filled lines}; a tax by its id, as a record has it."""
        rows = [line.cells for line in filled_lines(read_lines(data))]
        tax_code = self.price_list.tax_code
        return {"rows": [{**cells, "tax_id": tax_code(cells["tax_id"])} for cells in rows]}

    def id_for_label(self, id_: str) -> str:
        """Return the id of the whole table; each cell has its own label."""
        return "lines"


class LinesField(RecordField):
    """The lines of a document; checks only their count. `check_lines` checks the cells."""

    widget: LinesWidget = LinesWidget  # type: ignore[assignment]  # Django makes one of the class

    def bind(self, ctx: RequestContext) -> None:
        """Explain where the numbers of items are found if none has a name in this workspace."""
        self.widget.price_list = price_list_of(ctx.workspace)
        self.help_text = where_to_find(ctx.workspace, Kind.ITEM, ctx)

    def comparable(self, value: Any) -> object:
        return [_comparable(cells) for cells in _rows(value)]

    def caption(self, value: Any) -> str:
        """Return the quantities and names of the first few."""
        rows = _rows(value)
        words = [f"{row.get('quantity', '')} x {row.get('item_name', '')}" for row in rows[:5]]
        return ", ".join(words) + (" and more" if len(rows) > 5 else "")

    def part_label(self, part: str) -> str:
        """Return the line and the cell, such as "Line 3, price"."""
        number, cell = cell_of(part)
        words = (f"Line {number + 1}", LABELS.get(cell, "").lower())
        return ", ".join(filter(None, words)) if number < MAX_LINES else ""

    def posted(self, name: str, value: Any) -> Iterator[tuple[str, list[str]]]:
        rows = _rows(value)
        yield "line", [str(key) for key in range(len(rows))]
        for key, cells in enumerate(rows):
            yield from ((f"line-{key}-{cell}", [str(cells.get(cell) or "")]) for cell in CELLS)

    def clean(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the texts unchanged. Raises ValidationError for no line or more than MAX_LINES."""
        count = len(value["rows"])
        if not count:
            raise ValidationError("Enter at least one line.", code="required")
        if count > MAX_LINES:
            raise ValidationError(f"Enter at most {MAX_LINES} lines.")
        return value


def _rows(value: Any) -> list[Mapping[str, str]]:
    return value["rows"] if value else []


def _comparable(cells: Mapping[str, str]) -> tuple[str, ...]:
    given = {**cells, "discount_type": cells.get("discount") and cells.get("discount_type")}
    return tuple(_normal_newlines(name, given.get(name) or "") for name in CELLS)


def _normal_newlines(name: str, text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if name == "description" else text.replace("\n", "")


def cell_of(part: str) -> tuple[int, str]:
    """Return the line, from 0, and the cell that a part of the lines means, such as "2.price"; ""
    for a whole line. (MAX_LINES, "") if it means no line.
    """
    number, _, cell = part.partition(".")
    return (int(number), cell) if number.isdecimal() else (MAX_LINES, "")


def split_discount(text: str, kind: str | None = None) -> tuple[str, str]:
    """Return the discount and the code of its kind; `kind`: that of a text without a unit."""
    for code, unit in UNITS.items():
        number = text.strip().removesuffix(unit).rstrip()
        if number and text.strip().endswith(unit):
            return number, code
    return text, (str(FIXED) if kind is None else kind) if text.strip(" %") else ""


def tax_of(rate: str, price_list: PriceList, style: Style) -> str:
    try:
        tax = price_list.tax("", read_number(rate, style))
    except NotReadable:
        return ""
    return tax.code if tax else ""


def tax_value(tax: str, rate: str) -> str:
    """Return the value of the option of a tax with a rate; NO_TAX for neither."""
    return f"{tax}|{rate}"


def split_tax(value: str, rate: str) -> tuple[str, str]:
    """Return the tax and its rate; `rate` is the typed one, which counts with OTHER or without
    options.
    """
    if value == OTHER:
        return "", rate
    tax, mark, of_option = value.rpartition("|")
    return (tax, of_option) if mark else (value, rate)
