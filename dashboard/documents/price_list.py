"""The workspace's items and taxes, looked up by typed text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from dashboard.gateway import whole_number
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.office.reference_lists import CachedEntry
from dashboard.text.numbers import trimmed, write_number
from dashboard.text.plain import folded
from dashboard.text.style import Style

MAX_LISTED = 200  # items that a page holds; more are searched for while somebody types
MAX_FOUND = 20


@dataclass(frozen=True)
class PriceList:
    """The items and the taxes by id, in the order in which they are offered.

    known_ids: of items that are not offered: retired ones, and those seen in records.
    """

    items: Mapping[str, CachedEntry] = field(default_factory=dict)
    taxes: Mapping[str, CachedEntry] = field(default_factory=dict)
    known_ids: frozenset[str] = frozenset()

    def accepts(self, item_id: int) -> bool:
        """Whether a line may have this item; an empty list cannot tell and accepts any."""
        code = str(item_id)
        return not self.items or code in self.items or code in self.known_ids

    def item(self, typed: str) -> CachedEntry | None:
        """The only item of that name; else the one of an id such as "#17"."""
        name = folded(typed)
        items = [item for item in self.items.values() if folded(item.name) == name]
        if len(items) == 1:
            return items[0]
        is_id = not items and name.startswith("#")
        return self.item_of_id(name.removeprefix("#")) if is_id else None

    def search(self, typed: str) -> list[CachedEntry]:
        """The first items with that id, or whose name is the text, starts with it or contains it,
        in this order.
        """
        name = folded(typed)
        names = [(folded(item.name), item) for item in self.items.values()]
        found = [
            ((name not in (own, item.code), not own.startswith(name)), item)
            for own, item in names
            if name and (name in own or name == item.code)
        ]
        return [item for _, item in sorted(found, key=lambda each: each[0])[:MAX_FOUND]]

    def item_of_id(self, text: str) -> CachedEntry | None:
        return self.items.get(str(whole_number(text) or ""))

    def contradicts(self, item_id: str, name: str) -> bool:
        """Whether the item of that id has another name, or that name belongs to another item."""
        item, named = self.item_of_id(item_id), self.item(name)
        is_other = item is not None and folded(item.name) != folded(name)
        return bool(name.strip()) and (is_other or (named is not None and named != item))

    def tax(self, typed: str, rate: Decimal | None = None) -> CachedEntry | None:
        """The tax of that name or id, else the only one of that rate."""
        name = folded(typed)
        for tax in self.taxes.values():
            if name and name in (tax.code, folded(tax.name)):
                return tax
        taxes = [tax for tax in self.taxes.values() if rate is not None and tax.rate == rate]
        return taxes[0] if len(taxes) == 1 else None


NOTHING = PriceList()


def price_list_of(workspace: str) -> PriceList:
    items = catalogue.entries(workspace, Kind.ITEM)
    return PriceList(
        {item.code: item for item in items if item.code.isdecimal()},
        {tax.code: tax for tax in catalogue.entries(workspace, Kind.TAX)},
        frozenset(catalogue.known_codes(workspace, Kind.ITEM)),
    )


def write_price(item: CachedEntry, style: Style) -> str:
    return "" if item.price is None else write_number(trimmed(item.price, 2), style)


def write_rate(tax: CachedEntry | None, style: Style) -> str:
    return "" if tax is None or tax.rate is None else write_number(trimmed(tax.rate), style)
