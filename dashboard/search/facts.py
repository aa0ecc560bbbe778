"""What the search shows of a record beside its name: whose it is, its status and its amount.

All of it is in the row that was found, or is known from records read before: it costs no call.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.display import values
from dashboard.display.money import currencies_of
from dashboard.display.titles import pointers
from dashboard.display.values import DisplayValue
from dashboard.forms.phones import phones_of
from dashboard.gateway import Record
from dashboard.reader import lookups
from dashboard.reader.find import Match


class Facts(NamedTuple):
    """`about`: the customer's name, an email address or a number. `amount`: the last of the list's
    columns of money that is not 0, so the total of what is paid, with its currency where that is
    known.
    """

    about: str = ""
    status: DisplayValue = values.EMPTY
    amount: str = ""


def facts_of(ctx: RequestContext, resource: Resource, matches: Iterable[Match]) -> list[Facts]:
    """The facts of each match of a resource."""
    matches = list(matches)
    records = [match.record for match in matches if match.record is not None]
    names = lookups.cached_titles(ctx.gateway, pointers(resource.columns, records))
    currencies = currencies_of(ctx, resource.endpoint, records).names
    ctx = replace(ctx, titles=names, currencies=currencies)
    return [
        Facts(match.hint) if match.record is None else _facts(ctx, resource, match, match.record)
        for match in matches
    ]


def _facts(ctx: RequestContext, resource: Resource, match: Match, record: Record) -> Facts:
    columns = [column for column in resource.columns if column.is_amount]
    amounts = [each for each in columns if record.get(each.name)] or columns
    shown = (column.value(record, ctx) for column in resource.columns if not column.from_record)
    return Facts(
        _about(ctx, resource, match, record),
        next((value for value in shown if value.kind == "status"), values.EMPTY),
        amounts[-1].value(record, ctx).text if amounts else "",
    )


def _about(ctx: RequestContext, resource: Resource, match: Match, record: Record) -> str:
    """The name of the record that it belongs to, else what tells it from others of its name."""
    owners = [each for each in pointers(resource.columns, [record]) if each[0] != resource.endpoint]
    if owners:
        return next(filter(None, (ctx.titles.get((of.name, number)) for of, number in owners)), "")
    if match.is_told_apart:
        return match.hint
    return next(iter(phones_of(resource.create_form, record)), match.hint)
