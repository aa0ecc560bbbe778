"""What two users type over each other: fields of every kind, and when two values are the same."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from dashboard.resources.tasks import PRIORITIES

LINES, FIRST_QUANTITY = "items", "line-0-quantity"
SHOWN_OF_A_LINE = ("item_name", "quantity", "price")  # an edit's question shows no more
CELLS = (
    *SHOWN_OF_A_LINE, "type", "item_id", "description", "discount", "discount_type", "tax_id",
    "tax_rate",
)  # fmt: skip


@dataclass(frozen=True)
class Field:
    """`new`: a value that was never there, from who types it and a number."""

    new: Callable[[str, int], str]
    optional: bool = True


TEXT = Field(lambda who, number: f"Words {number} of {who}")
NAME = Field(TEXT.new, optional=False)
EMAIL = Field(lambda who, number: f"{who}{number}@example.test")
NUMBER = Field(lambda who, number: str(1000 + 10 * number + len(who)), optional=False)
PRIORITY = Field(lambda who, number: str(1 + number % 4), optional=False)
_DOCUMENT = {"reference": TEXT, "notes": TEXT, "terms_conditions": TEXT, LINES: NUMBER}
FIELDS: dict[str, dict[str, Field]] = {
    "contacts": {"cstname": NAME, "cstaddress": TEXT, "ct_taxnumber": TEXT, "cstemail": EMAIL},
    "leads": {"cstname": NAME, "lead_source": TEXT, "lead_company_name": TEXT, "cstemail": EMAIL},
    "deals": {"deal_name": NAME, "deal_source": TEXT, "deal_description": TEXT,
              "deal_amount": NUMBER},
    "tasks": {"title": NAME, "description": TEXT, "priority": PRIORITY},
    "estimates": _DOCUMENT,
    "invoices": _DOCUMENT,
}  # fmt: skip


def plain(value: Any) -> Any:
    """A value of a record, body or form, so that equal ones compare equal; nothing is "".

    Lines become a tuple of tuples, cell by cell.
    """
    if isinstance(value, Mapping):
        return plain(value["rows"]) if "rows" in value else str(sorted(value.items())).strip("[]")
    if isinstance(value, list | tuple) and any(isinstance(each, Mapping) for each in value):
        return tuple(tuple(plain(line.get(name)) for name in CELLS) for line in value)
    if isinstance(value, list):
        return ", ".join(sorted(map(str, value)))
    if value is None or isinstance(value, tuple):
        return value or ""
    try:
        return format(Decimal(str(value)).normalize(), "f")
    except ArithmeticError:
        return str(value)


def known(name: str, values: Mapping[str, Any]) -> Any:
    """A field's value as a user can know it."""
    value = plain(values.get(name))
    return tuple(line[: len(SHOWN_OF_A_LINE)] for line in value) if name == LINES else value


def entries(name: str, value: str) -> dict[str, str]:
    """What a form sends when this is typed."""
    return {FIRST_QUANTITY if name == LINES else name: value}


def as_typed(name: str, values: Mapping[str, Any]) -> str:
    """What to type so that a field becomes what it is in `values`."""
    value = known(name, values)
    return str(value[0][1] if name == LINES else value)


def wanted(name: str, value: str, form_values: Mapping[str, Any]) -> Any:
    """How a field is known once this was typed over what the form showed."""
    if name != LINES:
        return plain(value)
    (first, _, price), *rest = known(name, form_values)
    return ((first, plain(value), price), *rest)


def stored(name: str, value: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a record that says the same."""
    if name == LINES:
        first, *rest = record[LINES]
        return {LINES: [{**first, "quantity": int(value)}, *rest]}
    return {name: int(value) if value.isdecimal() else value}


def after(now: Mapping[str, Any], body: Mapping[str, Any], *, whole: bool) -> dict[str, Any]:
    """The record that an update makes of `now`."""
    sent = {name: plain(value) for name, value in body.items()}
    return {name: sent.get(name, "") for name in {*now, *sent}} if whole else {**now, **sent}


def visible(name: str, value: Any) -> list[str]:
    """The words that tell of a value on a page."""
    if name == LINES:
        return [f"{plain(row['quantity'])} x {row['item_name']}" for row in value["rows"]]
    if name == "priority":
        return [PRIORITIES[int(value)]]
    return [str(value)] if value else ["nothing"]
