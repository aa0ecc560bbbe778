"""What a document comes to, by the workspace's items, taxes and way of adding up."""

from decimal import Decimal

from dashboard.catalogue import services as catalogue
from dashboard.catalogue.kinds import Kind
from dashboard.documents import table
from dashboard.documents.price_list import Item, PriceList, Tax
from dashboard.documents.totals import METHODS, Method, Totals, add_up, agreeing, short
from dashboard.documents.validation import line_of
from dashboard.gateway import Record
from dashboard.preferences import services as preferences
from dashboard.records.parsing.style import Style


def price_list_of(workspace: str) -> PriceList:
    """The items and taxes that this workspace has named."""
    taxes = {
        one.code: Tax(id=one.code, name=one.name, rate=_short(one.rate))
        for one in catalogue.entries(workspace, Kind.TAX)
    }
    items = {
        int(one.code): Item(
            id=int(one.code), name=one.name, price=_short(one.price, 2), tax=one.tax
        )
        for one in catalogue.entries(workspace, Kind.ITEM)
        if one.code.isdecimal()
    }
    return PriceList(items, taxes)


def _short(number: Decimal | None, least: int = 0) -> Decimal | None:
    return None if number is None else short(number, least)


def method_of(workspace: str) -> Method:
    """How totals are added up here: as chosen, as the service's totals tell, or as usual."""
    return METHODS[preferences.method_code(preferences.office(workspace), list(METHODS))]


def sums(totals: Totals, style: Style) -> list[tuple[str, str, bool]]:
    """The lines under a table: (what, how much, whether it is the last)."""

    def money(amount: Decimal) -> str:
        return table.money(amount, style)

    found = [("Subtotal", money(totals.subtotal), False)]
    found += [
        (f"Tax {table.plain(rate, style)} %", money(tax), False)
        for rate, tax in totals.taxes.items()
    ]
    if totals.discount:
        found.append(("Discount", money(totals.discount.copy_negate()), False))
    return [*found, ("Total", money(totals.total), True)]


def record_totals(record: Record, method: Method) -> Totals:
    """What a record comes to by our sums."""
    discount, kind = record["overall_discount"] or Decimal(0), record["overall_discount_type"]
    lines = [line_of(line) for line in record.lines]
    return add_up(lines, discount=discount, discount_type=kind or None, method=method)


def learn_method(workspace: str, record: Record) -> None:
    """Let a total of the service tell how it adds up."""
    total = record["total"]
    if not isinstance(total, Decimal) or not record.lines_complete:
        return
    codes = agreeing(
        [line_of(line) for line in record.lines],
        total,
        discount=record["overall_discount"] or Decimal(0),
        discount_type=record["overall_discount_type"] or None,
    )
    preferences.note_agreement(workspace, codes, METHODS)
