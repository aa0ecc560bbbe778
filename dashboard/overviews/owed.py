"""What one customer owes: the contact, and their open invoices with the currencies of those."""

from datetime import date
from typing import NamedTuple

from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.display.money import Currencies, currencies_of
from dashboard.documents.open_invoices import read_open_invoices
from dashboard.gateway import Record
from dashboard.reader import lookups
from dashboard.reader.all_rows import ReadRows
from dashboard.resources.invoices import INVOICES

MOST_READ = 50  # invoices read by their ids, as only whole records name a currency


class Owed(NamedTuple):
    """A contact and all of their open invoices that were read, the earliest due first."""

    contact: Record
    read: ReadRows
    invoices: list[Record]
    currencies: Currencies

    def overdue(self, today: date) -> list[Record]:
        return [each for each in self.invoices if days_late(each, today)]


def read_owed(ctx: RequestContext, resource: Resource, contact: int) -> Owed:
    """Read what a contact owes. Raises GatewayError."""
    record = ctx.gateway.get(resource.endpoint, contact)
    read = read_open_invoices(ctx.gateway, filters={"cstid": contact}).rows
    invoices = sorted(read.records, key=_due)
    known = lookups.currencies(ctx.gateway, INVOICES.endpoint, [each.id for each in invoices])
    unknown = [each.id for each in invoices if each.id not in known]
    lookups.read_records(ctx.gateway, INVOICES.endpoint, unknown[:MOST_READ])
    currencies = currencies_of(ctx, INVOICES.endpoint, invoices)
    return Owed(record, read, invoices, currencies)


def days_late(invoice: Record, today: date) -> int:
    """0 for an invoice that is not late, or has no due date."""
    due = invoice["due_date"]
    return max((today - due).days, 0) if isinstance(due, date) else 0


def _due(invoice: Record) -> tuple[date, int]:
    due = invoice["due_date"]
    return due if isinstance(due, date) else date.max, invoice.id
