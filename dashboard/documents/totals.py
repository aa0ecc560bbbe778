"""Computes document totals; no other module adds up money.

The reference documents neither the order of discounts and taxes nor the rounding, so the result is
an estimate. An administrator chooses the method, or it is inferred from totals of the service.
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
class Method:
    """How a service computes totals.

    each_line: every line's net and tax is rounded to cents, else only the document's sums.
    after_tax: the overall discount is subtracted from the sum with taxes, else from the sum before
        taxes, and the taxes are reduced in proportion.
    """

    each_line: bool
    after_tax: bool

    @property
    def code(self) -> str:
        """The method as stored: one of METHODS."""
        return (
            f"{'line' if self.each_line else 'document'}-{'after' if self.after_tax else 'before'}"
        )


_ALL = [
    Method(each_line=line, after_tax=after) for after in (True, False) for line in (True, False)
]
METHODS: Mapping[str, Method] = {method.code: method for method in _ALL}
METHOD_WORDS: Mapping[str, str] = {
    "line-after": "Round every line; overall discount off the sum with taxes",
    "document-after": "Round only the sums; overall discount off the sum with taxes",
    "line-before": "Round every line; overall discount before taxes",
    "document-before": "Round only the sums; overall discount before taxes",
}
DEFAULT_METHOD = METHODS["line-after"]


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
    taxes: by rate, before a discount of the whole document.
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
    method: Method = DEFAULT_METHOD,
) -> Totals:
    """The totals of these lines with an overall discount, which is FIXED if it has no type."""
    with localcontext(EXACT):
        counted = [line for line in lines if not (line.header or line.unreadable)]
        nets = [_rounded(_net(line), method) for line in counted]
        taxes = _taxes(counted, nets, method)
        subtotal, tax = cents(_sum(nets)), _sum(taxes.values())
        base = subtotal + tax if method.after_tax else subtotal
        off = cents(_discount(base, discount, discount_type))
        net_tax = tax if method.after_tax else _reduced_tax(tax, subtotal, off)
        return Totals(
            amounts=tuple(_amounts(lines)),
            subtotal=subtotal,
            taxes=taxes,
            tax=net_tax,
            discount=off,
            total=subtotal + net_tax - off,
        )


def matching_methods(
    lines: Sequence[CountedLine], total: Decimal, *, discount: Decimal, discount_type: int | None
) -> frozenset[str]:
    """The codes of the methods by which these lines add up to the service's total."""
    totals = {
        code: add_up(lines, discount=discount, discount_type=discount_type, method=method).total
        for code, method in METHODS.items()
    }
    return frozenset(code for code, ours in totals.items() if ours == total)


def _net(line: CountedLine) -> Decimal:
    gross = line.quantity * line.price
    return gross - _discount(gross, line.discount, line.discount_type)


def _discount(amount: Decimal, discount: Decimal, discount_type: int | None) -> Decimal:
    return amount * discount / 100 if discount_type == PERCENT else discount


def _rounded(amount: Decimal, method: Method) -> Decimal:
    return cents(amount) if method.each_line else amount


def _taxes(
    lines: Sequence[CountedLine], nets: Sequence[Decimal], method: Method
) -> dict[Decimal, Decimal]:
    """The tax by rate, in the order of the rates' first lines."""
    sums: dict[Decimal, Decimal] = {}
    for line, net in zip(lines, nets, strict=True):
        if line.rate:
            sums[line.rate] = sums.get(line.rate, ZERO) + _rounded(net * line.rate / 100, method)
    return {rate: cents(amount) for rate, amount in sums.items()}


def _reduced_tax(tax: Decimal, subtotal: Decimal, off: Decimal) -> Decimal:
    """The tax in proportion to what a discount before taxes leaves of the subtotal. The quotient
    is the last step: a rounded quotient before it would turn a tie of half a cent.
    """
    return cents(tax * (subtotal - off) / subtotal) if subtotal else tax


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


def _sum(amounts: Iterable[Decimal]) -> Decimal:
    return sum(amounts, ZERO)
