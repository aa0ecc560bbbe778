"""A least amount as a filter, as a person types it and as the address holds it: 1000.50.."""

import re
from dataclasses import dataclass
from decimal import Decimal

from django.http import QueryDict

from dashboard.records.parts import Filter
from dashboard.text.numbers import read_number, write_number
from dashboard.text.style import NotReadable, Style

LONGEST = 40  # characters of an amount as typed
STORED = re.compile(r"[0-9]{1,15}(\.[0-9]{1,6})?\.\.")


@dataclass(frozen=True)
class TypedAmount:
    """value: for the address, "" for none. text: what the field shows. wrong: why it is unread."""

    typed: str = ""
    value: str = ""
    text: str = ""
    wrong: str = ""


def read_least(item: Filter, params: QueryDict, style: Style) -> TypedAmount:
    """The amount of an address, or of a form that was sent without JavaScript."""
    typed = params.get(item.name, "").strip()[:LONGEST].strip()
    if STORED.fullmatch(typed):
        return TypedAmount(typed, typed, write_number(least_amount(typed), style))
    try:
        amount = read_number(typed, style) if typed else None
    except NotReadable as error:
        return TypedAmount(typed, text=typed, wrong=str(error))
    if amount is None:
        return TypedAmount()
    stored = f"{amount:f}.."
    if not STORED.fullmatch(stored):
        return TypedAmount(typed, text=typed, wrong="Write an amount of 0 or more.")
    return TypedAmount(typed, stored, typed)


def least_amount(value: str) -> Decimal:
    """The amount by its value in the address."""
    return Decimal(value.removesuffix(".."))
