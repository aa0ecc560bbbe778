"""The figures of a contact: what they owe, their deals, and what they were invoiced this year."""

from datetime import date

from django.utils import timezone

from dashboard.context import RequestContext
from dashboard.display.money import currencies_of
from dashboard.documents.cells import OPEN
from dashboard.documents.declaration import CANCELLED
from dashboard.documents.open_invoices import read_open_invoices
from dashboard.gateway import GatewayError, Page, Record
from dashboard.pages.blocks import Figure, is_complete, not_read, read_of, sum_figure
from dashboard.reader import listing
from dashboard.resources.deals import DEALS
from dashboard.resources.invoices import INVOICES
from dashboard.text.dates import days

from .contact_blocks import Answer


def figures_of(ctx: RequestContext, contact: int, invoices: Answer, deals: Answer) -> list[Figure]:
    """What they owe, how much of it is late, their deals, and what they were invoiced this year."""
    today = timezone.localdate()
    try:
        owed = _owed(ctx, *_open_invoices(ctx, contact, listing.result_of(invoices)), today)
    except GatewayError:
        owed = [not_read("Owes"), not_read("Of that overdue")]
    return [*owed, _deals(deals, ctx), _invoiced(invoices, ctx, today.year)]


def _open_invoices(
    ctx: RequestContext, contact: int, invoices: Page
) -> tuple[tuple[Record, ...], str]:
    """Those of the invoices that were read, where that are all, else all that are open; and how
    many were looked through, "" for all. Raises GatewayError.
    """
    if is_complete(invoices):
        return tuple(each for each in invoices.records if each["inv_status"] == OPEN), ""
    read = read_open_invoices(ctx.gateway, filters={"cstid": contact})
    return read.records, read.partial


def _owed(
    ctx: RequestContext, invoices: tuple[Record, ...], looked_through: str, today: date
) -> list[Figure]:
    dated = [each for each in invoices if isinstance(each["due_date"], date)]
    late = sorted((each for each in dated if each["due_date"] < today), key=_due)
    oldest = f", oldest {days((today - late[0]['due_date']).days)}" if late else ""
    note = looked_through or _counted(len(invoices), "open invoice")
    partial = bool(looked_through)
    currencies = currencies_of(ctx, INVOICES.endpoint, invoices)
    total = currencies.total(invoices, "amount_due")
    owes = sum_figure("Owes", total, ctx.style, note=note, is_partial=partial)
    note = _counted(len(late), "invoice") + oldest
    total = currencies.total(late, "amount_due")
    overdue = sum_figure("Of that overdue", total, ctx.style, note=note, is_partial=partial)
    return [owes, overdue._replace(is_late=bool(late))]


def _deals(page: Page | GatewayError, ctx: RequestContext) -> Figure:
    """All deals: the service does not say which are still open."""
    if isinstance(page, GatewayError):
        return not_read("Deals")
    some = f"{_counted(page.total_records, 'deal')}, open and closed"
    note = some if page.records else _counted(0, "deal")
    total = currencies_of(ctx, DEALS.endpoint, page.records).total(page.records, "deal_amount")
    return sum_figure("Deals", total, ctx.style, note=note, is_partial=not is_complete(page))


def _invoiced(page: Page | GatewayError, ctx: RequestContext, year: int) -> Figure:
    label = f"Invoiced in {year}"
    if isinstance(page, GatewayError):
        return not_read(label)
    invoices = [
        each
        for each in page.records
        if isinstance(each["transaction_date"], date)
        and each["transaction_date"].year == year
        and each["inv_status"] != CANCELLED
    ]
    note = _counted(len(invoices), "invoice")
    if not is_complete(page):
        note += f" among {read_of(page)} read"
    total = currencies_of(ctx, INVOICES.endpoint, invoices).total(invoices, "total")
    return sum_figure(label, total, ctx.style, note=note, is_partial=not is_complete(page))


def _counted(count: int | None, noun: str) -> str:
    if not count:
        return f"{noun}s" if count is None else f"no {noun}"
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _due(record: Record) -> tuple[date, int]:
    return record["due_date"], record.id
