"""Computes document totals with the workspace's items and taxes."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from dashboard.documents import line_table
from dashboard.documents.lines import DocumentLine
from dashboard.documents.price_list import PriceList, PriceListItem, Tax
from dashboard.documents.totals import Totals, add_up
from dashboard.documents.validation import counted_line, counted_lines
from dashboard.gateway import Record, whole_number
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.schema.money import write_money
from dashboard.text.numbers import read_number, trimmed
from dashboard.text.style import NotReadable, Style

MOST_NAMED = 3  # lines that the label of a total names


def price_list_of(workspace: str) -> PriceList:
    """The items and taxes in the workspace's lists."""
    taxes = {
        one.code: Tax(id=one.code, name=one.name, rate=_trimmed(one.rate))
        for one in catalogue.entries(workspace, Kind.TAX)
    }
    items = {
        int(one.code): PriceListItem(
            id=int(one.code), name=one.name, price=_trimmed(one.price, 2), tax=one.tax
        )
        for one in catalogue.entries(workspace, Kind.ITEM)
        if one.code.isdecimal()
    }
    known = (whole_number(code) for code in catalogue.known_codes(workspace, Kind.ITEM))
    return PriceList(items, taxes, frozenset(code for code in known if code is not None))


def add_up_typed(
    rows: Iterable[DocumentLine], discount: tuple[str, str], style: Style
) -> tuple[Totals, str]:
    """The totals of lines as typed, and what they leave out as it cannot be parsed, such as
    "lines 2 and 4" or "the discount"; "" for nothing.

    `discount`: the document's own discount as typed, and its kind.
    """
    lines = counted_lines(rows, style)
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


def _trimmed(number: Decimal | None, least: int = 0) -> Decimal | None:
    return None if number is None else trimmed(number, least)


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
        (f"Tax {line_table.plain(rate, style)} %", money(tax), False)
        for rate, tax in totals.taxes.items()
    ]
    if totals.discount:
        rows.append(("Discount", money(totals.discount.copy_negate()), False))
    return [*rows, (total_label(left_out), money(totals.total), True)]


def record_totals(record: Record) -> Totals:
    """The totals of a record as this dashboard computes them."""
    discount, kind = record["overall_discount"] or Decimal(0), record["overall_discount_type"]
    lines = [counted_line(line) for line in record.lines]
    return add_up(lines, discount=discount, discount_type=kind or None)
