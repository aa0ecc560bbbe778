"""The workspace's items and taxes, looked up by typed text."""

import re
from decimal import Decimal

from dashboard.gateway import whole_number
from dashboard.office.kinds import Kind
from dashboard.office.reference_lists import MAX_LISTED, CachedEntry, CachedLists, get_cached_lists
from dashboard.office.reference_lists import NOTHING as NO_LISTS
from dashboard.text.numbers import trimmed, write_number
from dashboard.text.plain import folded
from dashboard.text.style import Style

TAX_ID = re.compile(r"(?=\S*[0-9])\S+")


class PriceList:
    """The items and the taxes that are offered, by id and in order."""

    def __init__(self, lists: CachedLists = NO_LISTS) -> None:
        self.lists = lists
        self.items, self.taxes = lists.active(Kind.ITEM), lists.active(Kind.TAX)

    def accepts(self, item_id: int) -> bool:
        """Return whether a line may have this item: one of the list, also a retired one, or one
        that was seen in a record; an empty list cannot tell and accepts any.
        """
        code = str(item_id)
        is_known = code in self.lists.of(Kind.ITEM) or (Kind.ITEM, code) in self.lists.unnamed
        return is_known or not self.items

    def item(self, typed: str) -> CachedEntry | None:
        """Return the only item of that name; else the one of an id such as "#17"."""
        name = folded(typed)
        item = self.items.get(self.lists.codes_by_name(Kind.ITEM).get(name, ""))
        is_id = not item and name.startswith("#")
        return self.item_of_id(name.removeprefix("#")) if is_id else item

    def search(self, typed: str) -> list[CachedEntry]:
        codes = self.lists.search(Kind.ITEM, typed)
        return [self.items[code] for code in codes if code in self.items]

    def item_of_id(self, text: str) -> CachedEntry | None:
        return self.items.get(str(whole_number(text) or ""))

    def contradicts(self, item_id: str, name: str) -> bool:
        """Return whether the item of that id has another name, or that name belongs to another
        item.
        """
        item, named = self.item_of_id(item_id), self.item(name)
        is_other = item is not None and folded(item.name) != folded(name)
        return bool(name.strip()) and (is_other or (named is not None and named != item))

    def tax(self, typed: str, rate: Decimal | None = None) -> CachedEntry | None:
        """Return the tax of that name or id, else the only one of that rate."""
        code = self.lists.codes_by_name(Kind.TAX).get(folded(typed), "")
        if tax := self.taxes.get(typed.strip()) or self.taxes.get(code):
            return tax
        taxes = [tax for tax in self.taxes.values() if rate is not None and tax.rate == rate]
        return taxes[0] if len(taxes) == 1 else None

    @property
    def searches_taxes(self) -> bool:
        return len(self.taxes) > MAX_LISTED

    def accepts_tax(self, text: str) -> bool:
        """Return whether a text may be the id of a tax; other ids than those of the list have a
        digit.
        """
        is_known = not text or text in self.lists.of(Kind.TAX)
        return is_known or not self.searches_taxes or bool(TAX_ID.fullmatch(text))

    def tax_text(self, code: str) -> str:
        """Return the value that stands for a tax in its field: of a long list its name."""
        captions = self.lists.active_choices(Kind.TAX) if self.searches_taxes else {}
        name = captions.get(code, code)
        return name if self.tax_code(name) == code else code

    def tax_code(self, text: str) -> str:
        """Return the id of the tax that a value of its field stands for; else the text."""
        tax = self.tax(text) if self.searches_taxes else None
        return tax.code if tax else text


NOTHING = PriceList()


def price_list_of(workspace: str) -> PriceList:
    return PriceList(get_cached_lists(workspace))


def write_price(item: CachedEntry, style: Style) -> str:
    return "" if item.price is None else write_number(trimmed(item.price, 2), style)


def write_rate(tax: CachedEntry | None, style: Style) -> str:
    return "" if tax is None or tax.rate is None else write_number(trimmed(tax.rate), style)
