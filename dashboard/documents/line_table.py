"""The line table of a document form: lines, offered items and taxes, amounts, totals.

templates/documents/_lines.html draws it. Names and ids of inputs go by a line's key and never
change; labels say the line's number ("Quantity, line 3").
"""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from django.utils.text import get_text_list

from dashboard.documents.lines import (
    LABELS,
    NO_TAX,
    NUMBERS,
    OTHER,
    UNITS,
    DocumentLine,
    amounts_of_record,
    blank_line,
    tax_value,
)
from dashboard.documents.price_list import NOTHING, PriceList, write_price, write_rate
from dashboard.documents.totals import ZERO, Totals, add_up
from dashboard.gateway import Record
from dashboard.office.reference_lists import MAX_LISTED, CachedEntry
from dashboard.schema.money import smallest_unit, write_money
from dashboard.schema.values import Attributes
from dashboard.text.numbers import proposal, read_number, trimmed, write_number
from dashboard.text.style import NotReadable, Style

UNREADABLE = "\N{EN DASH}"  # the amount of a line with a cell that is no number
MAX_NAMED = 3  # lines that the label of a total names
ANY_KEY, ANY_HEADER = "KEY", "HDR"  # in the templates that scripts make new lines of
MOVES = (
    ("insert", "Insert a line above"),
    ("header", "Insert a header above"),
    ("copy", "Duplicate"),
    ("up", "Move up"),
    ("down", "Move down"),
    ("remove", "Remove"),
)


class ShownRow(NamedTuple):
    """One line as it is drawn: its key in names and ids, its number and amount as texts.

    `is_open`: whether it has all fields; else only those of the columns, and others that hold
    something. `errors`: messages by field, which may show several cells; `proposals`: the numbers
    meant. `own_tax`: the words of a tax that is not offered.
    """

    line: DocumentLine
    key: str
    number: int
    is_open: bool
    errors: Mapping[str, str]
    proposals: Mapping[str, tuple[str, str] | None]
    amount: str
    own_tax: str

    def names(self, name: str, word: str) -> Attributes:
        """Return the attributes of any control of a cell."""
        control, is_wrong = f"line-{self.key}-{name}", name in self.errors
        return Attributes(
            {
                "name": control,
                "aria-label": f"{word}, line {self.number}",
                "id": control if self.is_open else "",
                "autofocus": self.line.focus == name,
                "aria-invalid": "true" if is_wrong else "",
                "aria-describedby": f"{control}-error" if is_wrong else "",
            }
        )

    def text(self, name: str, word: str, *, value: str | None = None, **given: str) -> Attributes:
        """Return the attributes of a control of one line; `given` are those of an open line."""
        drawn = self.names(name, word)
        drawn["value"] = self.line.cells[name] if value is None else value
        if self.is_open:
            drawn.update({"type": "text", **given})
        return drawn


class OfferedItem(NamedTuple):
    """An item of the workspace's list with what choosing it fills in."""

    id: str
    name: str
    price: str
    tax: str
    rate: str
    hint: str


class LineTable:
    """The lines as typed with what they add up to. A part is computed when it is drawn.

    discount: the document's own discount as typed, and its kind. currency: its name, "" where it
    is not known. left_out: what the totals leave out as it cannot be read, such as "lines 2 and 4"
    or "the discount"; "" for nothing.
    """

    labels, moves, other_tax = LABELS, MOVES, OTHER

    def __init__(
        self,
        lines: Sequence[DocumentLine],
        style: Style,
        *,
        price_list: PriceList = NOTHING,
        discount: tuple[str, str] = ("", ""),
        currency: str = "",
    ) -> None:
        self.lines, self.style, self.price_list = lines, style, price_list
        self.currency = currency
        self.totals, self.left_out = _add_up_typed(lines, discount, style, currency)

    @cached_property
    def rows(self) -> list[ShownRow]:
        amounts = zip(self.lines, self.totals.amounts, strict=True)
        return [self._row(line, place, amount) for place, (line, amount) in enumerate(amounts, 1)]

    @property
    def blank(self) -> ShownRow:
        """Return the line that scripts copy."""
        return self._row(blank_line(0), 1, ZERO)._replace(key=ANY_KEY)

    @property
    def header(self) -> ShownRow:
        """Return the header that scripts copy."""
        row = self._row(blank_line(0, is_header=True), 1, ZERO)
        return row._replace(key=ANY_HEADER, is_open=True)

    @cached_property
    def offered_items(self) -> list[OfferedItem]:
        """Return all items; none of a longer list, which is searched instead."""
        items = () if self.searches_items else self.price_list.items.values()
        return [self._item(item) for item in items]

    @property
    def searches_items(self) -> bool:
        return len(self.price_list.items) > MAX_LISTED

    def found_items(self, text: str) -> list[OfferedItem]:
        return [self._item(item) for item in self.price_list.search(text)]

    @cached_property
    def taxes(self) -> dict[str, str]:
        """Return the names of the taxes on offer by the values of their options, that of no tax
        first; none of a longer list, which is searched instead.
        """
        taxes = () if self.price_list.searches_taxes else self.price_list.taxes.values()
        named = {tax_value(tax.code, write_rate(tax, self.style)): tax.name for tax in taxes}
        return {NO_TAX: "No tax", **named} if named else {}

    @property
    def amounts(self) -> str:
        """Return the amounts of the lines as JSON, for lines/sums.js to put where they differ."""
        amounts = zip(self.lines, self.totals.amounts, strict=True)
        return json.dumps([self._amount(line, amount) for line, amount in amounts])

    @property
    def wrong_numbers(self) -> str:
        """Return the messages about cells that are not numbers, as JSON by place and cell."""
        messages = {
            place: {name: f"{LABELS[name]}: {error}" for name, error in errors.items()}
            for place, line in enumerate(self.lines)
            if not line.is_header and (errors := line.numbers(self.style)[1])
        }
        return json.dumps(messages)

    @property
    def sums(self) -> list[tuple[str, str]]:
        """Return the labels and amounts below the table, the total last."""
        total = (self.total_label, self.total)
        return [*sums(self.totals, self.style, self.currency), total]

    @property
    def total(self) -> str:
        return write_money(self.totals.total, self.style, self.currency, is_shown=False)

    @property
    def total_label(self) -> str:
        """Return "Total", or "Total without line 4"."""
        return f"Total without {self.left_out}" if self.left_out else "Total"

    def _row(self, line: DocumentLine, number: int, amount: Decimal | None) -> ShownRow:
        errors: dict[str, str] = {}
        for name, message in line.errors.items():
            control = line.control(name, self.price_list.taxes)
            errors[control] = f"{errors[control]} {message}" if control in errors else message
        return ShownRow(
            line=line,
            key=str(line.key),
            number=number,
            is_open=bool(line.is_blank or line.focus or line.errors),
            errors=errors,
            proposals={
                name: proposal(line.cells[name], self.style) for name in NUMBERS if name in errors
            },
            amount=self._amount(line, amount),
            own_tax="" if line.tax == OTHER or line.tax in self.taxes else self._own_tax(line),
        )

    def _amount(self, line: DocumentLine, amount: Decimal | None) -> str:
        """Return a dash for an unreadable amount, "" for a missing one."""
        if amount is None:
            return UNREADABLE
        if not (line.is_header or line.is_priced):
            return ""
        return write_money(amount, self.style, self.currency, is_shown=False)

    def _own_tax(self, line: DocumentLine) -> str:
        tax, rate = line.cells["tax_id"], line.cells["tax_rate"]
        if self.price_list.searches_taxes:
            return self.price_list.tax_text(tax)
        known = self.price_list.taxes.get(tax)
        name = known.name if known else f"#{tax}" if tax.isdecimal() else tax
        return f"{name} ({rate} %)" if rate else name

    def _item(self, item: CachedEntry) -> OfferedItem:
        price, tax = write_price(item, self.style), self.price_list.taxes.get(item.tax)
        hint = " · ".join(filter(None, (price, tax.name if tax else "")))
        rate = write_rate(tax, self.style)
        value = self.price_list.tax_text(item.tax)
        return OfferedItem(item.code, item.name, price, value, rate, hint)


def _add_up_typed(
    lines: Sequence[DocumentLine], discount: tuple[str, str], style: Style, currency: str
) -> tuple[Totals, str]:
    amounts = [line.amounts(style) for line in lines]
    left_out = _numbered([place for place, line in enumerate(amounts, 1) if line.is_unreadable])
    text, kind = (part.strip() for part in discount)
    amount = ZERO
    try:
        amount = read_number(text, style) if text else amount
    except NotReadable:
        left_out.append("the discount")
    totals = add_up(
        amounts,
        discount=amount,
        discount_type=int(kind) if kind in UNITS else None,
        unit=smallest_unit(currency),
    )
    return totals, get_text_list(left_out, "and")


def _numbered(numbers: Sequence[int]) -> list[str]:
    """Return the parts of "lines 2, 4 and 7"; of many lines only their count."""
    if len(numbers) > MAX_NAMED:
        return [f"{len(numbers)} lines"]
    word = "lines" if len(numbers) > 1 else "line"
    return [f"{word} {numbers[0]}", *map(str, numbers[1:])] if numbers else []


def sums(totals: Totals, style: Style, currency: str) -> list[tuple[str, str]]:
    """Return the labels and amounts that make up the total."""

    def money(amount: Decimal) -> str:
        return write_money(amount, style, currency, is_shown=False)

    taxes = totals.taxes.items()
    rows = [("Subtotal", money(totals.subtotal))]
    rows += [(f"Tax {write_number(trimmed(rate), style)}%", money(tax)) for rate, tax in taxes]
    if totals.discount:
        rows.append(("Discount", money(totals.discount.copy_negate())))
    return rows


def record_totals(record: Record, currency: str) -> Totals:
    """Return the totals of a record as this dashboard computes them. currency: its name."""
    return add_up(
        [amounts_of_record(line) for line in record.lines],
        discount=record["overall_discount"] or ZERO,
        discount_type=record["overall_discount_type"] or None,
        unit=smallest_unit(currency),
    )
