"""Cells: functions that say how one field of a record is displayed.

A cell takes a record, the request's context and the names that the page knows, and returns a
`DisplayValue`. Which cell a field has by default follows from its form field, and from the
endpoint's kind where it has none.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django import forms

from dashboard.core.templates import address
from dashboard.gateway import Endpoint, Record
from dashboard.gateway.api import FieldKind
from dashboard.office import reference_lists
from dashboard.office.reference_fields import ReferenceField, ReferencesField
from dashboard.office.reference_lists import unnamed
from dashboard.people.context import RequestContext
from dashboard.schema import values
from dashboard.schema.fields import ChoiceField, unknown_code
from dashboard.schema.inputs import MoneyField
from dashboard.schema.money import Currencies, write_money
from dashboard.schema.phones import PhoneField
from dashboard.schema.pickers import PickerField
from dashboard.schema.values import DisplayValue
from dashboard.text.dates import short_date


@dataclass(frozen=True, kw_only=True)
class Names:
    """Titles and currencies of the records that a page's records point to.

    titles: by endpoint and id; "" for a record without a name. late_url: the address of a fragment
    with the titles still to come, "" for none.
    """

    titles: Mapping[tuple[str, int], str] = field(default_factory=dict)
    late_url: str = ""
    currencies: Currencies = field(default_factory=Currencies)


NO_NAMES = Names()
Cell = Callable[[Record, RequestContext, Names], DisplayValue]


def plain(name: str) -> Cell:
    def cell(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        return values.text(record.get(name), ctx.style)

    return cell


def money(name: str) -> Cell:
    """Return a cell for an amount, with its currency unless that stands above it."""

    def cell(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        value = record.get(name)
        if not isinstance(value, Decimal):
            return values.text(value)
        currency = names.currencies.of(record, ctx)
        is_shown = currency != names.currencies.common
        return values.text(write_money(value, ctx.style, currency, is_shown=is_shown))

    return cell


def day(name: str) -> Cell:
    """Return a cell for a date or a moment in a list: on one line, without the present year. A
    moment that a person chose has its time, one of the service only its day.
    """

    def cell(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        value = record.get(name)
        if not isinstance(value, date):
            return values.text(value)
        at = ""
        if isinstance(value, datetime):
            at = "" if value.tzinfo else f", {value:%H:%M}"
            value = value.astimezone() if value.tzinfo else value
        return values.nowrap(short_date(value, ctx.today) + at)

    return cell


def email(name: str) -> Cell:
    def cell(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        return values.email(record.get(name))

    return cell


def phone(name: str) -> Cell:
    def cell(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        return values.phone(record.get(name))

    return cell


def choice(name: str, words: Mapping[str, str]) -> Cell:
    """Return a cell for a coded field: its word by the code as text."""

    def cell(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        value = record.get(name)
        return values.text(words.get(str(value)) or _unknown(value), ctx.style)

    return cell


def status(name: str, words: Mapping[Any, tuple[str, str]]) -> Cell:
    """Return a cell for a status: its word in the colour of its tone, in plain text where that is
    "".
    """

    def cell(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        value = record.get(name)
        word, tone = words.get(value, ("", "")) if isinstance(value, int | str) else ("", "")
        return values.status(word, tone) if tone else values.text(word or _unknown(value))

    return cell


def _unknown(value: object) -> object:
    """Return a number in words, as it stands for a value that we do not know; any other as
    it is.
    """
    is_code = isinstance(value, int) and not isinstance(value, bool)
    return unknown_code(value) if is_code else value


def pointer(endpoint: Endpoint, name: str) -> Cell:
    """Return a cell for the id of another record: a link with that record's name."""

    def cell(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        value = record.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return titled(endpoint, value, names)
        return values.text(value)

    return cell


def titled(endpoint: Endpoint, record_id: int, names: Names) -> DisplayValue:
    """Return a link to a record by its name, or by its number while the name is unknown."""
    title = names.titles.get((endpoint.name, record_id))
    label = title or f"{endpoint.singular.capitalize()} {record_id}"
    late = "" if title is not None else f"{endpoint.name}-{record_id}"
    return values.link(address(endpoint.name, record_id), label, late=late)


def reference(kind: str, name: str) -> Cell:
    """Return a cell for one or several ids of a reference list, by the names of its entries, or
    else by those that came with the record.
    """

    def cell(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        def shown(value: object) -> DisplayValue:
            if not value or not isinstance(value, int | str):
                return values.text(value)
            entry = reference_lists.entry(ctx.workspace, kind, value)
            label = entry.name if entry else record.embedded_labels(name).get(str(value))
            return values.text(label) if label else values.muted(unnamed(value))

        value = record.get(name)
        if isinstance(value, list | tuple):
            return values.several(map(shown, value))
        return shown(value)

    return cell


def person(part: Cell) -> Cell:
    """Return a cell for the name of a colleague, drawn as a disc with initials."""

    def cell(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        shown = part(record, ctx, names)
        return values.person(shown.text) if shown.kind == "text" and shown.text else shown

    return cell


def first_of(*parts: Cell) -> Cell:
    """Return a cell that shows the first of several cells that is not empty."""

    def cell(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        shown = (part(record, ctx, names) for part in parts)
        return next(filter(None, shown), values.EMPTY)

    return cell


DATES: frozenset[FieldKind | None] = frozenset({"date", "datetime", "timestamp"})


def points_to(field: forms.Field | None) -> Endpoint | None:
    """Return the endpoint of the records that the field holds ids of; None for any other field."""
    return field.endpoint if isinstance(field, PickerField) else None


def detail_cell(name: str, field: forms.Field | None, target: Endpoint | None) -> Cell:
    """Return the cell of a field on a record's page; `target` is what `points_to` returns."""
    if isinstance(field, forms.EmailField):
        return email(name)
    if isinstance(field, PhoneField):
        return phone(name)
    return _cell(name, field, target)


def list_cell(
    name: str, field: forms.Field | None, target: Endpoint | None, kind: FieldKind | None
) -> Cell:
    """Return the cell of a field in a list: addresses without links, dates short."""
    return day(name) if kind in DATES else _cell(name, field, target)


def _cell(name: str, field: forms.Field | None, target: Endpoint | None) -> Cell:
    if target:
        return pointer(target, name)
    if isinstance(field, ReferenceField | ReferencesField):
        return reference(field.kind, name)
    if isinstance(field, MoneyField):
        return money(name)
    if isinstance(field, ChoiceField):
        return choice(name, field.captions)
    return plain(name)
