"""Filters that the service lacks: they are applied to the rows that were read."""

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal

from django.utils import timezone

from dashboard.audit import services as audit
from dashboard.gateway import Record
from dashboard.records.context import RequestContext
from dashboard.records.lists.amounts import least_amount
from dashboard.records.parts import BuiltInView, Filter, Narrowing
from dashboard.records.resource import Resource
from dashboard.text import date_ranges

ME = "me"
CREATED_BY_ME = BuiltInView("created", "Created by me", {"created": ME})


def narrowings(
    resource: Resource, values: Mapping[str, str], ctx: RequestContext
) -> list[Narrowing]:
    """Those of the filters in force that the service lacks."""
    chosen = ((item, values.get(item.name, "")) for item in resource.filters if item.is_ours)
    return [_narrowing(resource, item, value, ctx) for item, value in chosen if value]


def _narrowing(resource: Resource, item: Filter, value: str, ctx: RequestContext) -> Narrowing:
    if item.amount:
        return Narrowing(_at_least(item.amount, least_amount(value)))
    if item.days:
        span = date_ranges.read(value, timezone.localdate(), ctx.style)
        return Narrowing(_within(item.days, span or date_ranges.DateRange(None, None)))
    if item.narrow:
        return item.narrow(ctx, value)
    raise ValueError(f"the service has the filter {item.name} of {resource.name}")


def _at_least(name: str, least: Decimal) -> Callable[[Record], bool]:
    def keeps(record: Record) -> bool:
        amount = record[name]
        return isinstance(amount, Decimal) and amount >= least

    return keeps


def _within(name: str, span: date_ranges.DateRange) -> Callable[[Record], bool]:
    first, last = span.first or date.min, span.last or date.max

    def keeps(record: Record) -> bool:
        day = record[name]
        return isinstance(day, date) and first <= day <= last

    return keeps


def created_here(resource: str) -> Filter:
    """The filter for what the person created from this dashboard, by its own history."""

    def narrow(ctx: RequestContext, value: str) -> Narrowing:
        ids = audit.created_by(ctx.person, ctx.workspace, resource) if ctx.person else set()
        return Narrowing(lambda record: record.id in ids)

    return Filter("created", label="Created here", choices={ME: "By me"}, narrow=narrow)


def empty(label: str, name: str, field: str) -> Filter:
    """A filter for records whose list row has nothing in a field."""
    return Filter(
        name,
        label=label,
        choices={"none": "None given"},
        narrow=lambda ctx, value: Narrowing(lambda record: not record[field]),
    )
