"""A least amount as a filter, as a person types it and as the address holds it: 1000.50.."""

import re
from dataclasses import KW_ONLY, dataclass
from decimal import Decimal

from django.http import QueryDict

from dashboard.context import RequestContext
from dashboard.filters.base import Control, Filter, LocalFilter, TypedFilter
from dashboard.gateway import Record
from dashboard.text.numbers import read_number, write_number
from dashboard.text.style import NotReadable, Style

LONGEST = 40  # characters of an amount as typed
STORED = re.compile(r"[0-9]{1,15}(\.[0-9]{1,6})?\.\.")
NEGATIVE = "Write an amount of 0 or more."


@dataclass(frozen=True)
class AtLeast(Filter):
    """The least amount in a list field, compared with the rows that were read."""

    _: KW_ONLY
    field: str

    @property
    def is_local(self) -> bool:
        return True

    def read(self, params: QueryDict, style: Style) -> TypedFilter:
        typed = params.get(self.name, "").strip()[:LONGEST].strip()
        if not typed or STORED.fullmatch(typed):
            return TypedFilter(typed)
        try:
            amount = read_number(typed, style)
        except NotReadable as error:
            return TypedFilter(unread={self.name: typed}, wrong=(str(error),))
        stored = f"{amount:f}.."
        if not STORED.fullmatch(stored):
            return TypedFilter(unread={self.name: typed}, wrong=(NEGATIVE,))
        return TypedFilter(stored)

    def local(self, value: str, ctx: RequestContext) -> LocalFilter:
        least = _amount(value)

        def keeps(record: Record) -> bool:
            amount = record[self.field]
            return isinstance(amount, Decimal) and amount >= least

        return LocalFilter(keeps)

    def words(self, value: str, ctx: RequestContext) -> str:
        return write_number(_amount(value), ctx.style, grouped=True)

    def control(self, value: str, ctx: RequestContext, params: QueryDict) -> Control:
        typed = self.read(params, ctx.style)
        text = write_number(_amount(value), ctx.style) if value else typed.unread.get(self.name, "")
        wrong = " ".join(typed.wrong)
        return self.draw(text, hint="Amount", takes="decimal", wrong=wrong)


def _amount(value: str) -> Decimal:
    """The amount by its value in the address."""
    return Decimal(value.removesuffix(".."))
