"""Totals of a document, as this service computes them.

Lines: quantity x price, less the line's discount, plus the line's tax. Each line's net and tax is
rounded half up to the smallest unit of the currency. The overall discount is subtracted from the
sum with taxes. The reference specifies neither order nor rounding, so this is one possible service.
"""

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

CENT = Decimal("0.01")
UNITS = {"JPY": Decimal(1)}  # of the currencies here that have no cents
PERCENTAGE = 2


def exact(value: Any) -> Decimal:
    """Return the decimal of the number's text; 0 for None and empty text."""
    return Decimal(str(value or 0))


def rounded(value: Decimal, unit: Decimal = CENT) -> Decimal:
    """Round `value` half up."""
    return value.quantize(unit, ROUND_HALF_UP)


def apply_discount(amount: Decimal, discount: Any, discount_type: Any) -> Decimal:
    """Return `amount` less a discount, which is a percentage if the type is 2, else an amount."""
    if discount_type == PERCENTAGE:
        return amount - amount * exact(discount) / 100
    return amount - exact(discount)


def line_net(line: dict[str, Any], unit: Decimal) -> Decimal:
    """Return the net amount of one line before tax; 0 for a header line."""
    if line.get("type") == "header":
        return Decimal(0)
    gross = exact(line.get("quantity")) * exact(line.get("price"))
    net = apply_discount(gross, line.get("discount"), line.get("discount_type"))
    return rounded(net, unit)


def totals(document: dict[str, Any], currency: str | None) -> dict[str, float]:
    """`subtotal`, `tax_total` and `total` of an invoice or estimate in a currency, by its name."""
    unit = UNITS.get(currency or "", CENT)
    nets = [(line_net(line, unit), exact(line.get("tax_rate"))) for line in document["items"]]
    subtotal = sum((net for net, _ in nets), Decimal(0))
    tax = sum((rounded(net * rate / 100, unit) for net, rate in nets), Decimal(0))
    discount = (document.get("overall_discount"), document.get("overall_discount_type"))
    total = rounded(apply_discount(subtotal + tax, *discount), unit)
    return {"subtotal": float(subtotal), "tax_total": float(tax), "total": float(total)}
