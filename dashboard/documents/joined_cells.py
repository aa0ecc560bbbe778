"""Cells of a line that share one field of the page: a discount with its kind, a tax with its rate.

A discount of 10 % is the text "10 %", an amount of 10 is "10 off", so that nobody takes one for the
other; "10" alone is read as an amount, and static/lines.js completes it. A tax of the workspace's
list is an option whose value names the tax and the rate; any other rate is typed beside the option
OTHER.
"""

from collections.abc import Mapping

from dashboard.documents.totals import FIXED, PERCENT

OTHER = "other"
NO_TAX = "|"
UNITS = {str(PERCENT): "%", str(FIXED): "off"}  # behind a discount, by its kind


def shown_discount(cells: Mapping[str, str]) -> str:
    """The text of the discount field: with its unit; an amount only if it may be a number."""
    text, kind = cells["discount"], cells["discount_type"]
    is_said = text.strip() if kind == str(PERCENT) else text.strip()[-1:].isdigit()
    return f"{text} {UNITS[kind]}" if is_said and kind in UNITS else text


def without_kind(cells: Mapping[str, str]) -> bool:
    """Whether the line has a discount whose kind the service left out; it is fixed."""
    return bool(cells["discount"].strip()) and not cells["discount_type"]


def split_discount(text: str, kind: str | None = None) -> tuple[str, str]:
    """The discount and the code of its kind; `kind`: that of a text without a unit."""
    for code, unit in UNITS.items():
        number = text.strip().removesuffix(unit).rstrip()
        if number and text.strip().endswith(unit):
            return number, code
    return text, (str(FIXED) if kind is None else kind) if text.strip(" %") else ""


def tax_value(tax: str, rate: str) -> str:
    """The value of the option of a tax with a rate; NO_TAX for neither."""
    return f"{tax}|{rate}"


def shown_tax(cells: Mapping[str, str]) -> str:
    """The value of the option that a line's tax needs: OTHER for a rate without a tax."""
    tax, rate = cells["tax_id"], cells["tax_rate"]
    return OTHER if rate.strip() and not tax else tax_value(tax, rate)


def split_tax(value: str, rate: str) -> tuple[str, str]:
    """The tax and its rate; `rate` is the typed one, which counts with OTHER or without options."""
    if value == OTHER:
        return "", rate
    tax, mark, of_option = value.rpartition("|")
    return (tax, of_option) if mark else (value, rate)
