"""Computes document totals; no other module adds up money.

The reference documents neither the order of discounts and taxes nor the rounding, so the result is
an estimate: every line's net and tax is rounded to cents, and the overall discount is subtracted
from the sum with taxes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal, localcontext
from itertools import takewhile

from dashboard.text.numbers import EXACT

FIXED, PERCENT = 1, 2
CENT = Decimal("0.01")  # the API names a currency by an id only, so its decimal places are unknown
ZERO = Decimal(0)


@dataclass(frozen=True, kw_only=True)
class CountedLine:
    """The numbers of one line; `rate` and a discount of type PERCENT are in percent.

    A header adds nothing to the totals; its group is the lines down to the next header. An
    unreadable line (a cell is no number) adds nothing and has no amount.
    """

    quantity: Decimal = ZERO
    price: Decimal = ZERO
    discount: Decimal = ZERO
    discount_type: int | None = None
    rate: Decimal = ZERO
    header: bool = False
    unreadable: bool = False


@dataclass(frozen=True, kw_only=True)
class Totals:
    """The totals of a document, in currency with two places.

    amounts: of each line before tax; of a header the subtotal of its lines. None for an unreadable
        line, and for a header with one in its group.
    taxes: by rate.
    """

    amounts: tuple[Decimal | None, ...]
    subtotal: Decimal
    taxes: Mapping[Decimal, Decimal] = field(default_factory=dict)
    tax: Decimal
    discount: Decimal
    total: Decimal


def cents(amount: Decimal) -> Decimal:
    """The amount rounded half up (away from zero) to two places."""
    return amount.quantize(CENT, ROUND_HALF_UP, EXACT)


def add_up(
    lines: Sequence[CountedLine],
    *,
    discount: Decimal = ZERO,
    discount_type: int | None = None,
) -> Totals:
    """The totals of these lines with an overall discount, which is FIXED if it has no type."""
    with localcontext(EXACT):
        counted = [line for line in lines if not (line.header or line.unreadable)]
        nets = [cents(_net(line)) for line in counted]
        taxes = _taxes(counted, nets)
        subtotal, tax = sum(nets, ZERO), sum(taxes.values(), ZERO)
        off = cents(_discount(subtotal + tax, discount, discount_type))
        return Totals(
            amounts=tuple(_amounts(lines)),
            subtotal=subtotal,
            taxes=taxes,
            tax=tax,
            discount=off,
            total=subtotal + tax - off,
        )


def _net(line: CountedLine) -> Decimal:
    gross = line.quantity * line.price
    return gross - _discount(gross, line.discount, line.discount_type)


def _discount(amount: Decimal, discount: Decimal, discount_type: int | None) -> Decimal:
    return amount * discount / 100 if discount_type == PERCENT else discount


def _taxes(lines: Sequence[CountedLine], nets: Sequence[Decimal]) -> dict[Decimal, Decimal]:
    """The tax by rate, in the order of the rates' first lines."""
    taxes: dict[Decimal, Decimal] = {}
    for line, net in zip(lines, nets, strict=True):
        if line.rate:
            taxes[line.rate] = taxes.get(line.rate, ZERO) + cents(net * line.rate / 100)
    return taxes


def _amounts(lines: Sequence[CountedLine]) -> Iterator[Decimal | None]:
    for index, line in enumerate(lines):
        group = takewhile(lambda each: not each.header, lines[index + 1 :])
        yield _group_amount(group if line.header else [line])


def _group_amount(lines: Iterable[CountedLine]) -> Decimal | None:
    amount = ZERO
    for line in lines:
        if line.unreadable:
            return None
        amount += cents(_net(line))
    return amount
