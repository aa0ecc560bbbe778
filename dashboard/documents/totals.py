"""Computes document totals; no other module adds up money.

The reference documents neither the order of discounts and taxes nor the rounding, so the result is
an estimate: every line's net and tax is rounded to the smallest unit of the currency, and the
overall discount is subtracted from the sum with taxes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from itertools import takewhile

from dashboard.text.numbers import EXACT

FIXED, PERCENT = 1, 2
ZERO, CENT = Decimal(0), Decimal("0.01")


@dataclass(frozen=True, kw_only=True)
class LineAmounts:
    """The numbers of one line; `rate` and a discount of type PERCENT are in percent.

    A header adds nothing to the totals; its group is the lines down to the next header. An
    unreadable line (a cell is no number) adds nothing and has no amount.
    """

    quantity: Decimal = ZERO
    price: Decimal = ZERO
    discount: Decimal = ZERO
    discount_type: int | None = None
    rate: Decimal = ZERO
    is_header: bool = False
    is_unreadable: bool = False

    def net(self, unit: Decimal) -> Decimal:
        gross = self.quantity * self.price
        return rounded(gross - _discount(gross, self.discount, self.discount_type), unit)


@dataclass(frozen=True, kw_only=True)
class Totals:
    """The totals of a document, rounded to the smallest `unit` of its currency.

    amounts: of each line before tax; of a header the subtotal of its lines. None for an unreadable
        line, and for a header with one in its group.
    taxes: by rate.
    """

    amounts: tuple[Decimal | None, ...]
    subtotal: Decimal
    taxes: Mapping[Decimal, Decimal]
    discount: Decimal
    total: Decimal
    unit: Decimal


def rounded(amount: Decimal, unit: Decimal) -> Decimal:
    return amount.quantize(unit, ROUND_HALF_UP, EXACT)


def add_up(
    lines: Sequence[LineAmounts],
    *,
    discount: Decimal = ZERO,
    discount_type: int | None = None,
    unit: Decimal = CENT,
) -> Totals:
    """Return the totals of these lines with an overall discount, which is FIXED if it has
    no type.
    """
    with localcontext(EXACT):
        counted = [line for line in lines if not (line.is_header or line.is_unreadable)]
        taxes: dict[Decimal, Decimal] = {}  # in the order of the rates' first lines
        for line in counted:
            if line.rate:
                tax = rounded(line.net(unit) * line.rate / 100, unit)
                taxes[line.rate] = taxes.get(line.rate, ZERO) + tax
        subtotal = sum((line.net(unit) for line in counted), ZERO)
        gross = sum(taxes.values(), subtotal)
        off = rounded(_discount(gross, discount, discount_type), unit)
        return Totals(
            amounts=tuple(_amounts(lines, unit)),
            subtotal=subtotal,
            taxes=taxes,
            discount=off,
            total=gross - off,
            unit=unit,
        )


def rate_of(tax: Decimal, net: Decimal, known: Iterable[Decimal], unit: Decimal) -> Decimal | None:
    """Return the rate that makes this tax of a line: a known one, else the shortest; None
    for none.
    """
    if not tax or not net:
        return None if tax else ZERO
    exact = EXACT.divide(tax * 100, net)
    shortest = (rounded(exact, Decimal(1).scaleb(-places)) for places in range(3))
    rates = [*sorted(known, key=lambda rate: abs(rate - exact)), *shortest]
    return next((rate for rate in rates if rounded(net * rate / 100, unit) == tax), None)


def _discount(amount: Decimal, discount: Decimal, discount_type: int | None) -> Decimal:
    return amount * discount / 100 if discount_type == PERCENT else discount


def _amounts(lines: Sequence[LineAmounts], unit: Decimal) -> Iterator[Decimal | None]:
    for index, line in enumerate(lines):
        group = [line]
        if line.is_header:
            group = list(takewhile(lambda each: not each.is_header, lines[index + 1 :]))
        is_known = not any(each.is_unreadable for each in group)
        yield sum((each.net(unit) for each in group), ZERO) if is_known else None
