"""The line table of a document form as plain data: lines, offered items and taxes, amounts.

templates/records/_lines.html draws it. Names and ids of inputs go by a line's key and never change;
labels say the line's number ("Quantity, line 3").
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from dashboard.documents.formset import WORDS, DocumentLine, blank_line
from dashboard.documents.price_list import PriceList, Tax
from dashboard.documents.totals import FIXED, PERCENT
from dashboard.records.parsing.numbers import trimmed, write_amount, write_number
from dashboard.records.parsing.style import Style

ANY_KEY, ANY_HEADER = "KEY", "HDR"  # in the templates that scripts make new lines of
KINDS = ((str(PERCENT), "%"), (str(FIXED), "off"))
MOVES = (
    ("insert", "Insert a line above"),
    ("header", "Insert a header above"),
    ("copy", "Duplicate"),
    ("up", "Move up"),
    ("down", "Move down"),
    ("remove", "Remove"),
)


class ShownRow(NamedTuple):
    """One line as it is drawn: its key in names and ids, its number and amount as texts."""

    key: str
    number: int
    header: bool
    cells: Mapping[str, str]
    errors: Mapping[str, str]
    focus: bool
    amount: str


class OfferedTax(NamedTuple):
    """A tax of the workspace's list; `rate` in percent, "" where it is not known."""

    name: str
    rate: str


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
    """What the lines are drawn with: the item list, the person's style, the amounts by row."""

    price_list: PriceList
    style: Style
    amounts: Sequence[Decimal] = ()

    def amount(self, place: int) -> str:
        """The amount of one row in the person's style, "" where there is none."""
        return write_amount(self.amounts[place], self.style) if place < len(self.amounts) else ""


def plain(number: Decimal, style: Style) -> str:
    """A number to be read, without trailing zeros."""
    return write_number(trimmed(number), style)


def line_table(rows: Sequence[DocumentLine], drawing: Drawing) -> dict[str, Any]:
    """The context of records/_lines.html: `rows`, the `blank` line and `header` that scripts copy,
    `items_offered`, `taxes` (by id), and the words of labels, discounts and menu.
    """
    price_list, style = drawing.price_list, drawing.style
    return {
        "rows": [_shown(row, place, drawing) for place, row in enumerate(rows)],
        "blank": _shown(blank_line(0), 0, drawing)._replace(key=ANY_KEY),
        "header": _shown(blank_line(0, header=True), 0, drawing)._replace(key=ANY_HEADER),
        "items_offered": [_item(price_list, number, style) for number in price_list.items],
        "taxes": {
            tax.id: OfferedTax(tax.name, _rate(tax, style)) for tax in price_list.taxes.values()
        },
        "words": WORDS,
        "kinds": KINDS,
        "moves": MOVES,
    }


def amounts(rows: Iterable[DocumentLine], drawing: Drawing) -> str:
    """The amounts by row key as JSON, for lines.js to put where they differ.

    Not out of band: a row may be gone when the answer comes, and three hundred swaps take seconds.
    """
    return json.dumps(
        {row.key: drawing.amount(place) for place, row in enumerate(rows) if not row.blank}
    )


def _shown(row: DocumentLine, place: int, drawing: Drawing) -> ShownRow:
    amount = "" if row.blank else drawing.amount(place)
    return ShownRow(str(row.key), place + 1, row.header, row.cells, row.errors, row.focus, amount)


def _item(price_list: PriceList, number: int, style: Style) -> OfferedItem:
    item = price_list.items[number]
    price = "" if item.price is None else write_number(item.price, style)
    tax = price_list.taxes.get(item.tax)
    hint = " · ".join(filter(None, (price, tax.name if tax else "")))
    return OfferedItem(number, item.name, price, item.tax, _rate(tax, style), hint)


def _rate(tax: Tax | None, style: Style) -> str:
    return "" if tax is None or tax.rate is None else write_number(tax.rate, style)
