"""The blocks of the page Today that draw what is open: its ages, who owes most, what comes in.

All of them are made of the open invoices that are read for what is overdue.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from dashboard.context import RequestContext
from dashboard.declare.resource import RowAction
from dashboard.display import charts, values
from dashboard.display.cells import Names
from dashboard.display.charts import Item, Numbers, Picture
from dashboard.display.money import Currencies, currencies_of, write_money
from dashboard.documents import reminders
from dashboard.documents.open_invoices import OpenInvoices
from dashboard.figures import groups
from dashboard.figures.groups import added
from dashboard.figures.periods import Span, weeks_ahead
from dashboard.figures.sources import counted, due_url, list_of
from dashboard.gateway import INVOICES, GatewayError, Record
from dashboard.markup import address
from dashboard.pages.blocks import ROWS, Block, BlockRow, failed, sum_figure, view_all
from dashboard.resources.invoices import INVOICES as INVOICE_LIST
from dashboard.text.dates import SHORT_MONTHS, days
from dashboard.today.fetch import CUSTOMER, Sources

DUE = "amount_due"
WEEKS = 6
LOW = 54  # px of the highest column


class Debtors(NamedTuple):
    """The customers whose invoices are overdue, the one that owes most first: the id of each, their
    invoices, and what they owe in the currency of most of them. open: the currencies of all open
    invoices; currencies: of those that are overdue.
    """

    open: Currencies
    currencies: Currencies
    customers: list[tuple[int, list[Record], Decimal]]

    @property
    def shown(self) -> list[int]:
        return [number for number, _, _ in self.customers[:ROWS]]


def open_invoices(sources: Sources, owing: Debtors, ctx: RequestContext, today: date) -> Block:
    """What is open in all, and by how late it is."""
    block = Block(
        "open",
        "Open invoices",
        list_of(ctx, "invoices", inv_status="0").url(),
        empty="No invoice is open.",
    )
    answer = sources.invoices
    if isinstance(answer, GatewayError):
        return failed(block, answer)
    records = answer.rows.records
    currencies = owing.open.among(records)
    late = currencies.total(sources.overdue, DUE).words(ctx.style) if sources.overdue else ""
    figure = sum_figure(
        "Balance due",
        currencies.total(records, DUE),
        ctx.style,
        note=_invoices(records),
        is_partial=not answer.rows.complete,
    )
    return replace(
        block,
        link=view_all(_counted(records, answer)),
        figure=figure._replace(late=f"{late} overdue" if late else "") if records else None,
        picture=_ages(ctx, currencies, records, today),
        note=answer.partial,
    )


def _counted(invoices: Collection[Record], answer: OpenInvoices) -> str:
    return f"{len(invoices):,}{'' if answer.rows.complete else '+'}"


def _ages(
    ctx: RequestContext, currencies: Currencies, records: tuple[Record, ...], today: date
) -> Picture | None:
    currency, drawn = currencies.main(records)
    by_age = {age: added(them, DUE) for age, them in groups.by_age(drawn, today).items()}
    if not drawn:
        return None
    parts = [
        (
            groups.AGE_TONES.get(age, "none"),
            age,
            sums.amount,
            write_money(sums.amount, ctx.style, currency, is_shown=False),
            due_url(ctx, age, today) if sums.count else "",
        )
        for age, sums in by_age.items()
    ]
    rows: list[Numbers] = [
        (values.text(age), [sums.count, sums.amount]) for age, sums in by_age.items()
    ]
    title = _titled("Open invoices by age", currency)
    table = charts.table(("Age", "Invoices", "Balance due"), rows, ctx.style, currency)
    return Picture(title, table, strip=charts.strip(parts))


def debtors(ctx: RequestContext, sources: Sources) -> Debtors:
    answer, invoices = sources.invoices, sources.overdue
    known = () if isinstance(answer, GatewayError) else answer.rows.records
    of_open = currencies_of(ctx, INVOICES, known)
    currencies = of_open.among(invoices)
    drawn = {each.id for each in currencies.main(invoices)[1]}
    customers = [
        (number, them, added([each for each in them if each.id in drawn], DUE).amount)
        for number, them in groups.by_customer(invoices, DUE)
    ]
    return Debtors(of_open, currencies, sorted(customers, key=lambda one: -one[2]))


def who_to_chase(sources: Sources, owing: Debtors, ctx: RequestContext, today: date) -> Block:
    """The customers whose invoices are overdue, the one that owes most of it first."""
    block = Block(
        "overdue",
        "Who to chase",
        address("invoices", query={"due": "overdue", "view": "overdue"}),
        key="g o",
        amount_label="Overdue",
        empty="No invoice is overdue.",
        heads=("Customer", "Invoices", "Oldest", "Overdue"),
    )
    answer = sources.invoices
    if isinstance(answer, GatewayError):
        return failed(block, answer)
    currencies, customers = owing.currencies, owing.customers
    most = charts.highest(share for _, _, share in customers)
    shown = customers[:ROWS]
    opened = reminders.opened_for(ctx, list(filter(None, owing.shown)))
    rows = []
    for number, them, share in shown:
        numbers = {INVOICE_LIST.title(each) for each in them}
        last = next((one for one in opened if numbers & set(one.numbers)), None)
        row = _debtor(ctx, sources.names, number, them, currencies, today)._replace(
            bar=charts.segments([("b3", share)], most),
            note=f"reminded {reminders.ago(last, today)}" if last else "",
        )
        rows.append(row)
    more = "" if answer.rows.complete else "+"
    noun = "customer" if len(customers) == 1 else "customers"
    count = f"{len(customers):,}{more} {noun}" if customers else ""
    link = view_all(_counted(sources.overdue, answer), "overdue")
    heads = (*block.heads[:-1], _titled("Overdue", currencies.common))
    return replace(block, rows=tuple(rows), count=count, link=link, heads=heads)


def _debtor(
    ctx: RequestContext,
    names: Names,
    customer: int,
    invoices: list[Record],
    currencies: Currencies,
    today: date,
) -> BlockRow:
    """A customer: the row leads to the overdue invoices, or to the only one."""
    oldest = min(invoices, key=lambda each: each["due_date"])
    is_one = len(invoices) == 1 or not customer
    about = str(oldest["inv_number"] or oldest.id) if is_one else _invoices(invoices)
    theirs = {"due": "overdue", "cstid": str(customer)}
    url = address("invoices", oldest.id) if is_one else address("invoices", query=theirs)
    task = address("tasks", page="create", query={"contact": str(customer)})
    only = {"invoice": str(oldest.id)} if is_one else None
    reminder = address("contacts", customer, "statement", only)
    total = currencies.total(invoices, DUE)
    return BlockRow(
        (CUSTOMER(oldest, ctx, names) or values.text(about))._replace(kind="link", url=url),
        values.text(about),
        days((today - oldest["due_date"]).days),
        True,
        " + ".join(
            write_money(amount, ctx.style, name, is_shown=name != currencies.common)
            for name, amount in total.parts
        ),
        (RowAction("Reminder", "r", reminder), RowAction("Task", "t", task)) if customer else (),
    )


def coming_in(sources: Sources, owing: Debtors, ctx: RequestContext, today: date) -> Block:
    """What is due in the next weeks: the rest of this one, and those after it."""
    block = Block(
        "due",
        "Coming in",
        list_of(ctx, "invoices", inv_status="0", due_on=f"{today}..").url(),
        empty="Nothing is due in the next six weeks.",
    )
    answer = sources.invoices
    if isinstance(answer, GatewayError):
        return failed(block, answer)
    spans = weeks_ahead(today, WEEKS, ctx.style.first_weekday)
    due = [each for each in answer.records if spans[0].first <= each["due_date"] <= spans[-1].last]
    currencies = owing.open.among(due)
    total = currencies.total(due, DUE)
    at_least = "" if answer.rows.complete else "at least "
    return replace(
        block,
        link=view_all(_counted(due, answer)),
        count=f"{at_least}{total.words(ctx.style)} in six weeks" if due else "",
        picture=_weeks(ctx, currencies, due, spans),
    )


def _weeks(
    ctx: RequestContext, currencies: Currencies, due: list[Record], spans: list[Span]
) -> Picture | None:
    currency, drawn = currencies.main(due)
    if not drawn:
        return None
    items = []
    rows: list[Numbers] = []
    for at, span in enumerate(spans):
        them = [each for each in drawn if span.holds(each["due_date"])]
        label = f"{span.first.day} {SHORT_MONTHS[span.first.month - 1]}" if at else "this week"
        amount = added(them, DUE).amount
        words = f"{span.words}: {write_money(amount, ctx.style, currency)}, {_invoices(them)}"
        url = list_of(ctx, "invoices", inv_status="0", due_on=span.value).url() if them else ""
        short = charts.short_amount(amount, ctx.style) if amount else ""
        items.append(Item(label, amount, short, words, url, "b0" if at else "now"))
        rows.append((values.text(span.words), [len(them), amount]))
    table = charts.table(("Due", "Invoices", "Balance due"), rows, ctx.style, currency)
    title = _titled("Balance due by week", currency)
    return Picture(title, table, columns=charts.columns(items, LOW))


def _titled(title: str, currency: str) -> str:
    return f"{title}, {currency}" if currency else title


def _invoices(records: Collection[Record]) -> str:
    return counted("invoices", len(records))
