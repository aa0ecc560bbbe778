"""The line table as prepared HTML: labelled inputs in a native table.

Built in Python: three hundred lines of ten inputs through template tags take seconds. Every label
says its line's number ("Quantity, line 3"); names and ids go by the line's key and never change.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from html import escape

from django.utils.safestring import SafeString

from dashboard.documents.formset import WORDS, Row
from dashboard.documents.price_list import PriceList, Tax
from dashboard.documents.totals import FIXED, PERCENT, as_told, short
from dashboard.records.parsing.reading import Style, write_number

ANY_KEY, ANY_HEADER = "KEY", "HDR"  # in the templates that scripts make new lines of
KINDS = ((str(PERCENT), "%"), (str(FIXED), "off"))
HEADER_HINT = ' placeholder="Header"'
MOVES = (
    ("insert", "Insert a line above"),
    ("header", "Insert a header above"),
    ("copy", "Duplicate"),
    ("up", "Move up"),
    ("down", "Move down"),
    ("remove", "Remove"),
)


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """What the lines are drawn with: the item list, the person's style, the amounts by row."""

    price_list: PriceList
    style: Style
    amounts: Sequence[Decimal] = ()

    def amount(self, place: int) -> str:
        """What one row comes to, in the person's style."""
        return money(self.amounts[place], self.style) if place < len(self.amounts) else ""


def money(amount: Decimal, style: Style) -> str:
    """An amount to be read, with two places or as many as the service says."""
    return write_number(as_told(amount), style, grouped=True)


def plain(number: Decimal, style: Style) -> str:
    """A number to be read, without zeros that say nothing."""
    return write_number(short(number), style)


def body(rows: Sequence[Row], drawing: Drawing) -> SafeString:
    """The rows of the table."""
    return SafeString(
        "".join(_row(row, place, drawing, str(row.key)) for place, row in enumerate(rows))
    )


def template(row: Row, drawing: Drawing) -> SafeString:
    """A blank row for scripts, with ANY_KEY or ANY_HEADER for its key."""
    key = ANY_HEADER if row.header else ANY_KEY
    return SafeString(f"<table><tbody>{_row(row, 0, drawing, key)}</tbody></table>")


def amounts(rows: Iterable[Row], drawing: Drawing) -> str:
    """The amounts by row key as JSON, for lines.js to put where they differ.

    Not out of band: a row may be gone when the answer comes, and three hundred swaps take seconds.
    """
    return json.dumps(
        {row.key: drawing.amount(place) for place, row in enumerate(rows) if not row.blank}
    )


def offered(price_list: PriceList, style: Style) -> SafeString:
    """The item list as options of a datalist; what an item brings along stands in data-."""
    return SafeString("".join(_option(price_list, number, style) for number in price_list.items))


def _row(row: Row, place: int, drawing: Drawing, key: str) -> str:
    line = _Line(row, place + 1, key)
    cells = _header(line) if row.header else _item(line, drawing)
    kind = ' class="line-header"' if row.header else ""
    hidden = line.hidden("type") + f'<input type="hidden" name="line" value="{key}">'
    amount = "" if row.blank else drawing.amount(place)
    return (
        f'<tr data-line="{key}"{kind}><td class="line-no">{hidden}<span>{place + 1}</span></td>'
        f'{cells}<td class="line-amount" data-label="Amount"><output>{amount}</output></td>'
        f'<td class="line-menu">{_menu(line)}</td></tr>'
    )


@dataclass(frozen=True)
class _Line:
    """One row while it is drawn: its number for people, its key for names and ids."""

    row: Row
    number: int
    key: str

    def hidden(self, name: str) -> str:
        value = escape(self.row.cells[name])
        return f'<input type="hidden" name="line-{self.key}-{name}" value="{value}">'

    def field(self, name: str, more: str = "", kind: str = "") -> str:
        value = escape(self.row.cells[name])
        mark = "form-control" + (" is-invalid" if name in self.row.errors else "")
        return (
            f'<input type="text" {self.names(name)} class="{mark}{kind}" value="{value}"'
            f' autocomplete="off"{more}>{self.error(name)}'
        )

    def area(self, name: str) -> str:
        text = escape(self.row.cells[name])
        return (
            f'<textarea {self.names(name)} class="form-control" rows="1"'
            f' placeholder="{WORDS[name]}">\n{text}</textarea>'
        )

    def select(self, name: str, options: Iterable[tuple[str, str, str]]) -> str:
        chosen = self.row.cells[name]
        inner = "".join(
            f'<option value="{escape(value)}"{more}{" selected" * (value == chosen)}>'
            f"{escape(word)}</option>"
            for value, word, more in options
        )
        return f'<select {self.names(name)} class="form-select">{inner}</select>'

    def names(self, name: str) -> str:
        key, word = f"line-{self.key}-{name}", WORDS[name]
        if self.row.header:
            word = "Header" if name == "item_name" else word
        told = " autofocus" if self.row.focus and name == "item_name" else ""
        told += f' aria-invalid="true" aria-describedby="{key}-error"' * (name in self.row.errors)
        label = f'aria-label="{word}, line {self.number}" data-word="{word}"'
        return f'id="{key}" name="{key}" data-cell="{name}" {label}{told}'

    def error(self, name: str) -> str:
        if name not in self.row.errors:
            return ""
        words = escape(self.row.errors[name])
        return f'<p class="cell-error" id="line-{self.key}-{name}-error">{words}</p>'


def _item(line: _Line, drawing: Drawing) -> str:
    decimal = ' inputmode="decimal"'
    listed = ' list="stock"' if drawing.price_list.items else ""
    number = line.field("item_id", ' inputmode="numeric" placeholder="No."', " line-id")
    name = f'<div class="line-name">{line.field("item_name", listed)}</div>'
    return (
        f'<td class="line-item" data-label="Item">{name}{number}{line.area("description")}</td>'
        f'<td data-label="Quantity">{line.field("quantity", decimal, " number")}</td>'
        f'<td data-label="Price">{line.field("price", decimal, " number")}</td>'
        f'<td class="line-off" data-label="Discount"><div class="line-pair">'
        f"{line.field('discount', decimal, ' number')}{_kinds(line)}</div></td>"
        f'<td data-label="Tax">{_taxes(line, drawing)}</td>'
        f'<td data-label="Tax %">{line.field("tax_rate", decimal, " number")}</td>'
    )


def _header(line: _Line) -> str:
    kept = ("quantity", "price", "discount", "discount_type", "tax_id", "tax_rate", "item_id")
    hidden = "".join(line.hidden(name) for name in kept)
    return (
        f'<td class="line-item" colspan="6" data-label="Header">{hidden}'
        f"{line.field('item_name', HEADER_HINT)}{line.area('description')}</td>"
    )


def _kinds(line: _Line) -> str:
    chosen = line.row.cells["discount_type"]
    known = [(value, word, f' label="{word}"') for value, word in KINDS]
    return line.select("discount_type", known if chosen else [("", "-", ""), *known])


def _taxes(line: _Line, drawing: Drawing) -> str:
    """A choice where the taxes have names, else the bare id."""
    price_list, style = drawing.price_list, drawing.style
    if not price_list.taxes:
        return line.field("tax_id", ' placeholder="No."')
    chosen = line.row.cells["tax_id"]
    options = [("", "No tax", ' data-rate=""')]
    options += [
        (tax.id, tax.name, f' data-rate="{_rate(tax, style)}"') for tax in price_list.taxes.values()
    ]
    if chosen and chosen not in price_list.taxes:
        options.append((chosen, f"#{chosen} (not named yet)", ""))
    return line.select("tax_id", options) + line.error("tax_id")


def _rate(tax: Tax, style: Style) -> str:
    return "" if tax.rate is None else write_number(tax.rate, style)


def _menu(line: _Line) -> str:
    buttons = "".join(
        f'<button type="submit" name="do" value="{move}-{line.key}">{words}</button>'
        for move, words in MOVES
    )
    label = f'aria-label="More, line {line.number}" data-word="More"'
    dots = '<span aria-hidden="true">⋯</span>'
    return f"<details><summary {label}>{dots}</summary><div>{buttons}</div></details>"


def _option(price_list: PriceList, number: int, style: Style) -> str:
    item = price_list.items[number]
    price = "" if item.price is None else write_number(item.price, style)
    tax = price_list.taxes.get(item.tax)
    rate = _rate(tax, style) if tax else ""
    hint = " · ".join(filter(None, (price, tax.name if tax else "")))
    return (
        f'<option value="{escape(item.name)}" data-id="{number}" data-price="{price}"'
        f' data-tax="{escape(item.tax)}" data-rate="{rate}">{escape(hint)}</option>'
    )
