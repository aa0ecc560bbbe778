"""The line table of a document form as plain data: lines, offered items and taxes, amounts, totals.

templates/documents/_lines.html draws it. Names and ids of inputs go by a line's key and never
change; labels say the line's number ("Quantity, line 3").
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from dashboard.documents.lines import (
    NO_TAX,
    NUMBERS,
    OTHER,
    WORDS,
    DocumentLine,
    blank_line,
    control_of,
    shown_discount,
    shown_tax,
    tax_value,
    without_kind,
)
from dashboard.documents.price_list import PriceList, Tax
from dashboard.documents.totals import Totals, add_up
from dashboard.documents.validation import counted_line, counted_record, unreadable_cells
from dashboard.gateway import Record
from dashboard.schema.money import write_money
from dashboard.text.numbers import proposal, read_number, trimmed, write_number
from dashboard.text.style import NotReadable, Style

UNREADABLE = "\N{EN DASH}"  # the amount of a line with a cell that is no number
MOST_NAMED = 3  # lines that the label of a total names
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

    `open`: whether it has all fields; else only those of the columns, and others that hold
    something. `errors`: messages by field, which may show several cells; `proposals`: the numbers
    meant. `kind`: whether the page posts the kind of discount. `tax`: the value of the tax's
    option; `own_tax`: its words if not offered.
    """

    key: str
    number: int
    open: bool
    header: bool
    cells: Mapping[str, str]
    errors: Mapping[str, str]
    proposals: Mapping[str, tuple[str, str] | None]
    focus: str
    pasted: bool
    amount: str
    discount: str
    kind: bool
    tax: str
    own_tax: str


class OfferedItem(NamedTuple):
    """An item of the workspace's list with what choosing it fills in."""

    id: int
    name: str
    price: str
    tax: str
    rate: str
    hint: str


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """What the lines are drawn with: the item list, the person's style, the amounts by row, which
    have the decimal places of the currency.
    """

    price_list: PriceList
    style: Style
    amounts: Sequence[Decimal | None] = ()
    currency: str = ""

    @cached_property
    def tax_values(self) -> frozenset[str]:
        """The values of the options that every line offers."""
        return frozenset({OTHER, *_taxes(self.price_list, self.style)})

    def amount(self, row: DocumentLine, place: int) -> str:
        """The amount of one row in the person's style: a dash if it cannot be read, "" while there
        is none.
        """
        amount = self.amounts[place] if place < len(self.amounts) else Decimal(0)
        if amount is None:
            return UNREADABLE
        if not (row.header or row.priced):
            return ""
        return write_money(amount, self.style, self.currency, is_shown=False)


def plain(number: Decimal, style: Style) -> str:
    """A number to be read, without trailing zeros."""
    return write_number(trimmed(number), style)


def line_table(rows: Sequence[DocumentLine], drawing: Drawing) -> dict[str, Any]:
    """The context of documents/_lines.html: `rows`, the `blank` line and `header` that scripts
    copy, `items_offered`, `taxes` (names by option value), and the words of labels and menu.
    """
    price_list, style = drawing.price_list, drawing.style
    return {
        "rows": [_shown(row, place, drawing) for place, row in enumerate(rows)],
        "blank": _shown(blank_line(0), 0, drawing)._replace(key=ANY_KEY),
        "header": _shown(blank_line(0, header=True), 0, drawing)._replace(
            key=ANY_HEADER, open=True
        ),
        "items_offered": [_item(price_list, number, style) for number in price_list.items],
        "taxes": _taxes(price_list, style),
        "other_tax": OTHER,
        "words": WORDS,
        "moves": MOVES,
    }


def amounts_in_order(rows: Iterable[DocumentLine], drawing: Drawing) -> str:
    """The amounts of the rows as JSON, for lines/sums.js to put where they differ."""
    return json.dumps([drawing.amount(row, place) for place, row in enumerate(rows)])


def wrong_numbers(rows: Iterable[DocumentLine], style: Style) -> str:
    """What to say below lines with cells that are no numbers, as JSON: by place and cell."""
    wrong = [{} if row.header else unreadable_cells(row, style) for row in rows]
    words = {
        place: {name: f"{WORDS[name]}: {error}" for name, error in errors.items()}
        for place, errors in enumerate(wrong)
        if errors
    }
    return json.dumps(words)


def _shown(row: DocumentLine, place: int, drawing: Drawing) -> ShownRow:
    taxes = drawing.price_list.taxes
    errors: dict[str, str] = {}
    for name, words in row.errors.items():
        control = control_of(row, name, taxes)
        errors[control] = f"{errors[control]} {words}" if control in errors else words
    tax = shown_tax(row.cells)
    return ShownRow(
        key=str(row.key),
        number=place + 1,
        open=bool(row.blank or row.focus or row.errors),
        header=row.header,
        cells=row.cells,
        errors=errors,
        proposals={
            name: proposal(row.cells[name], drawing.style) for name in NUMBERS if name in errors
        },
        focus=row.focus,
        pasted=row.pasted,
        amount=drawing.amount(row, place),
        discount=row.cells["discount"] if row.header else shown_discount(row.cells),
        kind=without_kind(row.cells),
        tax=tax,
        own_tax="" if tax in drawing.tax_values else _own_tax(row, drawing),
    )


def _own_tax(row: DocumentLine, drawing: Drawing) -> str:
    """The words of a tax that is not in the list, or has another rate there."""
    tax, rate = row.cells["tax_id"], row.cells["tax_rate"]
    known = drawing.price_list.taxes.get(tax)
    name = known.name if known else f"#{tax}" if tax.isdecimal() else tax
    return f"{name} ({rate} %)" if rate else name


def _taxes(price_list: PriceList, style: Style) -> dict[str, str]:
    """The names of the taxes on offer by the values of their options, that of no tax first."""
    named = {tax_value(tax.id, _rate(tax, style)): tax.name for tax in price_list.taxes.values()}
    return {NO_TAX: "No tax", **named} if named else {}


def _item(price_list: PriceList, number: int, style: Style) -> OfferedItem:
    item = price_list.items[number]
    price = "" if item.price is None else write_number(item.price, style)
    tax = price_list.taxes.get(item.tax)
    hint = " · ".join(filter(None, (price, tax.name if tax else "")))
    return OfferedItem(number, item.name, price, item.tax, _rate(tax, style), hint)


def _rate(tax: Tax | None, style: Style) -> str:
    return "" if tax is None or tax.rate is None else write_number(tax.rate, style)


def add_up_typed(
    rows: Iterable[DocumentLine], discount: tuple[str, str], style: Style
) -> tuple[Totals, str]:
    """The totals of lines as typed, and what they leave out as it cannot be parsed, such as
    "lines 2 and 4" or "the discount"; "" for nothing.

    `discount`: the document's own discount as typed, and its kind.
    """
    lines = [counted_line(row, style) for row in rows]
    left_out = _numbered([place for place, line in enumerate(lines, 1) if line.unreadable])
    text, kind = (part.strip() for part in discount)
    amount = Decimal(0)
    try:
        amount = read_number(text, style) if text else amount
    except NotReadable:
        left_out.append("the discount")
    known = int(kind) if kind in ("1", "2") else None
    totals = add_up(lines, discount=amount, discount_type=known)
    *most, last = left_out or [""]
    return totals, f"{', '.join(most)} and {last}" if most else last


def _numbered(numbers: Sequence[int]) -> list[str]:
    """The parts of "lines 2, 4 and 7"; of many lines only their count."""
    if len(numbers) > MOST_NAMED:
        return [f"{len(numbers)} lines"]
    word = "lines" if len(numbers) > 1 else "line"
    return [f"{word} {numbers[0]}", *map(str, numbers[1:])] if numbers else []


def total_label(left_out: str) -> str:
    """The label of a total: "Total", or "Total without line 4"."""
    return f"Total without {left_out}" if left_out else "Total"


def sums(
    totals: Totals, style: Style, currency: str, left_out: str = ""
) -> list[tuple[str, str, bool]]:
    """The totals below the table, as (label, amount, whether it is the grand total)."""

    def money(amount: Decimal) -> str:
        return write_money(amount, style, currency, is_shown=False)

    rows = [("Subtotal", money(totals.subtotal), False)]
    rows += [
        (f"Tax {plain(rate, style)} %", money(tax), False) for rate, tax in totals.taxes.items()
    ]
    if totals.discount:
        rows.append(("Discount", money(totals.discount.copy_negate()), False))
    return [*rows, (total_label(left_out), money(totals.total), True)]


def record_totals(record: Record) -> Totals:
    """The totals of a record as this dashboard computes them."""
    discount, kind = record["overall_discount"] or Decimal(0), record["overall_discount_type"]
    lines = [counted_record(line) for line in record.lines]
    return add_up(lines, discount=discount, discount_type=kind or None)
