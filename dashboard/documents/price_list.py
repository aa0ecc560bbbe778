"""The workspace's items and taxes, looked up by typed text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from dashboard.gateway import whole_number
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.text.numbers import trimmed


@dataclass(frozen=True, kw_only=True)
class PriceListItem:
    """One item: `price` per unit; `tax` is the id of its default tax, "" for none."""

    id: int
    name: str
    price: Decimal | None = None
    tax: str = ""


@dataclass(frozen=True, kw_only=True)
class Tax:
    """One tax, its rate in percent."""

    id: str
    name: str
    rate: Decimal | None = None


@dataclass(frozen=True)
class PriceList:
    """The items by id and the taxes by id, in the order in which they are offered.

    known_ids: of items that are not offered: retired ones, and those seen in records.
    """

    items: Mapping[int, PriceListItem] = field(default_factory=dict)
    taxes: Mapping[str, Tax] = field(default_factory=dict)
    known_ids: frozenset[int] = frozenset()

    def accepts(self, item_id: int) -> bool:
        """Whether a line may have this item; an empty list cannot tell and accepts any."""
        return not self.items or item_id in self.items or item_id in self.known_ids

    def item(self, typed: str) -> PriceListItem | None:
        """The item of that name, ignoring case, or of that id; None if several have the name."""
        name = " ".join(typed.casefold().split())
        items = [item for item in self.items.values() if item.name.casefold() == name]
        if len(items) == 1:
            return items[0]
        return None if items else self.items.get(whole_number(name) or 0)

    def tax(self, typed: str, rate: Decimal | None = None) -> Tax | None:
        """The tax of that name or id, else the only one of that rate."""
        name = " ".join(typed.casefold().split())
        for tax in self.taxes.values():
            if name and name in (tax.id, tax.name.casefold()):
                return tax
        taxes = [tax for tax in self.taxes.values() if rate is not None and tax.rate == rate]
        return taxes[0] if len(taxes) == 1 else None


NOTHING = PriceList()


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


def _trimmed(number: Decimal | None, least: int = 0) -> Decimal | None:
    return None if number is None else trimmed(number, least)
