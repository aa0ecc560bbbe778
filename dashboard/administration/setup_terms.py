"""The payment terms of new invoices, beside those that existing invoices have."""

from collections import Counter
from datetime import date
from typing import NamedTuple

from dashboard.gateway import INVOICES, GatewayError, Record
from dashboard.people.context import RequestContext

INVOICES_READ = 30


class Terms(NamedTuple):
    """Days until an invoice is due: of new ones, and of most of those that were read, None where
    most have no terms in common. read: how many invoices have both dates.
    """

    days: int
    usual: int | None
    read: int


def terms_of_invoices(ctx: RequestContext) -> Terms | None:
    """The terms, by one call; None for people who may not write invoices, or if the service does
    not answer.
    """
    if INVOICES.name in ctx.closed_areas:
        return None
    try:
        found = ctx.gateway.list(INVOICES, page_size=INVOICES_READ).records
    except GatewayError:
        return None
    days = [gap for record in found if (gap := _days_until_due(record)) is not None]
    usual, count = Counter(days).most_common(1)[0] if days else (None, 0)
    is_common = 2 * count > len(days)
    return Terms(ctx.settings.due_days, usual if is_common else None, len(days))


def _days_until_due(record: Record) -> int | None:
    begun, due = record["transaction_date"], record["due_date"]
    if not isinstance(begun, date) or not isinstance(due, date):
        return None
    return (due - begun).days
