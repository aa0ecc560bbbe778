"""What a document comes to: the one place where money is added up.

The reference shows neither the order of discounts and taxes nor the rounding, so the result is only
near: the method is chosen by an administrator, or found out from totals of the service.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext

FIXED, PERCENT = 1, 2
CENT = Decimal("0.01")  # the API names a currency by a bare id at most: nobody can tell its places
FINEST = Decimal("0.0001")  # no currency has smaller units (ISO 4217)
ZERO = Decimal(0)
EXACT = Context(prec=120)  # for any product of the numbers that a form or the gateway lets through


@dataclass(frozen=True, kw_only=True)
class Method:
    """How a service adds up.

    each_line: every line's net and tax is rounded to cents, else only the document's sums.
    after_tax: the overall discount comes off the sum with taxes, else off the sum before them,
        and the taxes shrink by the same share.
    """

    each_line: bool = True
    after_tax: bool = True

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
USUAL = METHODS["line-after"]


@dataclass(frozen=True, kw_only=True)
class Line:
    """What counts of one line item; `rate` and a percent discount are in percent.

    A header counts nothing and is the title of the lines down to the next one.
    """

    quantity: Decimal = ZERO
    price: Decimal = ZERO
    discount: Decimal = ZERO
    discount_type: int | None = None
    rate: Decimal = ZERO
    header: bool = False


@dataclass(frozen=True, kw_only=True)
class Totals:
    """A document added up, in currency with two places.

    amounts: of each line before tax; of a header the subtotal of its lines.
    taxes: by rate, before a discount of the whole document.
    """

    amounts: tuple[Decimal, ...]
    subtotal: Decimal
    taxes: Mapping[Decimal, Decimal] = field(default_factory=dict)
    tax: Decimal
    discount: Decimal
    total: Decimal


def cents(amount: Decimal) -> Decimal:
    """Rounded half up (away from zero) to two places."""
    return amount.quantize(CENT, ROUND_HALF_UP, EXACT)


def as_told(amount: Decimal) -> Decimal:
    """An amount of the service as it is shown: two places, or up to four where it has them."""
    return short(amount.quantize(FINEST, ROUND_HALF_UP, EXACT), 2)


def short(number: Decimal, least: int = 0) -> Decimal:
    """The same number without zeros that say nothing, with `least` places all the same."""
    record_context = min(int(number.normalize(EXACT).as_tuple().exponent), -least)
    return number.quantize(Decimal(1).scaleb(record_context), context=EXACT)


def add_up(
    lines: Sequence[Line],
    *,
    discount: Decimal = ZERO,
    discount_type: int | None = None,
    method: Method = USUAL,
) -> Totals:
    """The totals of these lines and an overall discount (FIXED, also where no type is said)."""
    with localcontext(EXACT):
        counted = [line for line in lines if not line.header]
        nets = [_rounded(_net(line), method) for line in counted]
        taxes = _taxes(counted, nets, method)
        subtotal, tax = cents(_sum(nets)), _sum(taxes.values())
        base = subtotal + tax if method.after_tax else subtotal
        off = cents(_off(base, discount, discount_type))
        kept = cents(tax * _share(subtotal, off)) if not method.after_tax else tax
        return Totals(
            amounts=tuple(_amounts(lines)),
            subtotal=subtotal,
            taxes=taxes,
            tax=kept,
            discount=off,
            total=subtotal + kept - off,
        )


def agreeing(
    lines: Sequence[Line], total: Decimal, *, discount: Decimal, discount_type: int | None
) -> frozenset[str]:
    """The codes of the methods by which these lines come to the total that the service says."""
    found = {
        code: add_up(lines, discount=discount, discount_type=discount_type, method=method).total
        for code, method in METHODS.items()
    }
    return frozenset(code for code, ours in found.items() if ours == total)


def _net(line: Line) -> Decimal:
    gross = line.quantity * line.price
    return gross - _off(gross, line.discount, line.discount_type)


def _off(amount: Decimal, discount: Decimal, discount_type: int | None) -> Decimal:
    return amount * discount / 100 if discount_type == PERCENT else discount


def _rounded(amount: Decimal, method: Method) -> Decimal:
    return cents(amount) if method.each_line else amount


def _taxes(
    lines: Sequence[Line], nets: Sequence[Decimal], method: Method
) -> dict[Decimal, Decimal]:
    """The tax of each rate, in the order in which the rates come up."""
    sums: dict[Decimal, Decimal] = {}
    for line, net in zip(lines, nets, strict=True):
        if line.rate:
            sums[line.rate] = sums.get(line.rate, ZERO) + _rounded(net * line.rate / 100, method)
    return {rate: cents(amount) for rate, amount in sums.items()}


def _share(subtotal: Decimal, off: Decimal) -> Decimal:
    """What part of each line is left after a discount before taxes."""
    return (subtotal - off) / subtotal if subtotal else Decimal(1)


def _amounts(lines: Sequence[Line]) -> Iterator[Decimal]:
    for index, line in enumerate(lines):
        yield _group(lines[index + 1 :]) if line.header else cents(_net(line))


def _group(following: Sequence[Line]) -> Decimal:
    amount = ZERO
    for line in following:
        if line.header:
            break
        amount += cents(_net(line))
    return amount


def _sum(amounts: Iterable[Decimal]) -> Decimal:
    return sum(amounts, ZERO)
