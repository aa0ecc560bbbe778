"""What a customer was invoiced in each of the last twelve months, with what is still due of it."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from dashboard.context import RequestContext
from dashboard.display import charts, values
from dashboard.display.charts import Item, Numbers, Picture
from dashboard.display.money import currencies_of, write_money
from dashboard.documents.cells import OPEN
from dashboard.documents.declaration import CANCELLED
from dashboard.figures import groups
from dashboard.figures.groups import added
from dashboard.figures.periods import USUAL, Span, months, period_of
from dashboard.figures.sources import counted, list_of
from dashboard.gateway import INVOICES, Record
from dashboard.text.dates import SHORT_MONTHS

LOW = 56  # px of the highest column
MARKS = (("b0", "Invoiced"), ("b1", "Of that unpaid"))
HEADS = ("Month", "Invoices", "Invoiced", "Balance due")


def twelve_months(
    ctx: RequestContext, invoices: Sequence[Record], contact: int, today: date
) -> Picture | None:
    """The picture of some invoices of a contact, in the currency of most of them; None where none
    is from these months.
    """
    valid = [each for each in invoices if each["inv_status"] != CANCELLED]
    spans = months(period_of(USUAL, today))
    currency, drawn = currencies_of(ctx, INVOICES, valid).main(valid)
    by_month = groups.by_month(drawn, spans)
    if not any(by_month):
        return None
    items: list[Item] = []
    rows: list[Numbers] = []
    for span, them in zip(spans, by_month, strict=True):
        item = _month(ctx, span, them, contact, currency)
        items.append(item)
        rows.append((values.text(span.month), [len(them), item.value, item.due]))
    title = f"Invoiced by month{f', {currency}' if currency else ''}"
    table = charts.table(HEADS, rows, ctx.style, currency)
    marks = MARKS if any(each.due for each in items) else MARKS[:1]
    return Picture(title, table, columns=charts.columns(items, LOW), marks=marks)


def _month(
    ctx: RequestContext, span: Span, invoices: list[Record], contact: int, currency: str
) -> Item:
    amount = added(invoices, "total").amount
    open_ones = [each for each in invoices if each["inv_status"] == OPEN]
    due = max(added(open_ones, "amount_due").amount, Decimal(0))
    words, left = (write_money(each, ctx.style, currency) for each in (amount, due))
    count = counted("invoices", len(invoices))
    url = list_of(ctx, "invoices", cstid=str(contact), date=span.value).url() if invoices else ""
    return Item(
        SHORT_MONTHS[span.first.month - 1],
        amount,
        charts.short_amount(amount, ctx.style) if amount else "",
        f"{span.month}: {words}, {count}" + (f", {left} unpaid" if due else ""),
        url,
        due=due,
    )
