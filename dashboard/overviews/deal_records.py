"""What was entered here for a deal: its next step, and its documents with what is left to invoice.

The service lists neither tasks nor documents by their deal. Those that the history names are read
by their ids.
"""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from dashboard.catalogue.kinds import Kind
from dashboard.context import RequestContext
from dashboard.declare.resource import Resource, RowAction
from dashboard.display import cells, charts, values
from dashboard.display.cells import NO_NAMES
from dashboard.display.charts import Segment
from dashboard.display.money import Currencies, currencies_of, currency_of, write_money
from dashboard.display.values import DisplayValue
from dashboard.documents.declaration import CANCELLED
from dashboard.gateway import Gateway, Record
from dashboard.pages.blocks import Figure
from dashboard.pages.history_words import CreatedRecord
from dashboard.reader import lookups
from dashboard.resources.estimates import ESTIMATES
from dashboard.resources.invoices import INVOICES
from dashboard.resources.tasks import OPEN_STATUSES, TASKS, done_action, end_of
from dashboard.text.dates import day, late_by

INVOICED = "Invoiced so far"
MOST_READ = 8  # records of each kind, the newest
DOCUMENTS = (ESTIMATES, INVOICES)
OWNER = cells.reference(Kind.USER, "assigned_user_id")
Read = Mapping[tuple[str, int], Record]


class NextStep(NamedTuple):
    """The task that comes next. `others`: how many are open beside it."""

    name: DisplayValue
    owner: DisplayValue
    time: str
    is_late: bool
    tick: RowAction | None
    others: int


class Document(NamedTuple):
    """An estimate or invoice of the deal; `note`: until when it is good or is to be paid."""

    name: DisplayValue
    status: DisplayValue = values.EMPTY
    amount: str = ""
    note: str = ""
    is_late: bool = False


class Left(NamedTuple):
    """What is left to invoice, and its share of what it is a part of; `bar`: what was invoiced."""

    amount: str
    of: str
    share: str
    bar: tuple[Segment, ...]


class Documents(NamedTuple):
    """The documents of a deal with their sum on top of its page."""

    rows: list[Document]
    left: Left | None = None
    invoiced: Figure | None = None


def read(gateway: Gateway, created: list[CreatedRecord]) -> Read:
    """The tasks and documents among what was created for the deal, as far as they can be read."""
    found: dict[tuple[str, int], Record] = {}
    for resource in (TASKS, *DOCUMENTS):
        ids = [each.id for each in created if each.resource == resource.name][:MOST_READ]
        records = lookups.read_records(gateway, resource.endpoint, ids)
        found |= {(resource.name, number): record for number, record in records.items()}
    return found


def next_step(ctx: RequestContext, records: Read, today: date, back: str) -> NextStep | None:
    """The open task that is due first. back: the address of the deal's page."""
    tasks = [record for (kind, _), record in records.items() if kind == TASKS.name]
    open_ones = [each for each in tasks if each["status"] in OPEN_STATUSES]
    task = min(open_ones, key=end_of, default=None)
    if task is None:
        return None
    ends = end_of(task)
    late, is_dated = ends.date() < today, ends.date() != date.max
    words = f"{day(ends.date(), today)} {ends:%H:%M}" if is_dated else ""
    return NextStep(
        values.link(TASKS.url(task.id), TASKS.title(task)),
        OWNER(task, ctx, NO_NAMES),
        late_by((today - ends.date()).days) if late else words,
        late,
        done_action(task, ctx, back),
        len(open_ones) - 1,
    )


def documents(
    ctx: RequestContext, deal: Record, created: list[CreatedRecord], records: Read, today: date
) -> Documents:
    kinds = {each.name: each for each in DOCUMENTS if each.name not in ctx.closed_areas}
    listed = [each for each in created if each.resource in kinds]
    known = [records[key] for each in listed if (key := (each.resource, each.id)) in records]
    currencies = _currencies(ctx, records)
    rows = [
        _document(ctx, kinds[each.resource], each, records.get((each.resource, each.id)), today)
        for each in listed[: 2 * MOST_READ]
    ]
    is_whole = len(known) == len(listed) and currencies.common == currency_of(deal, ctx)
    if not listed or not is_whole:
        return Documents(rows)
    estimate, invoices = _sums(records, listed)
    left = _left(ctx, deal, estimate, invoices)
    return Documents(rows, left, _invoiced(ctx, deal, invoices))


def _currencies(ctx: RequestContext, records: Read) -> Currencies:
    documents = (record for (kind, _), record in records.items() if kind != TASKS.name)
    return currencies_of(ctx, INVOICES.endpoint, documents)


def _document(
    ctx: RequestContext,
    resource: Resource,
    created: CreatedRecord,
    record: Record | None,
    today: date,
) -> Document:
    number = created.label.removeprefix(f"{resource.singular.capitalize()} ")
    name = values.link(resource.url(created.id), resource.title(record) if record else number)
    if record is None:
        return Document(name)
    [status, *_] = resource.badges
    field, word = ("due_date", "due") if resource is INVOICES else ("expiry_date", "until")
    ends = record.get(field)
    note = f"{word} {day(ends, today)}" if isinstance(ends, date) else ""
    total = record["total"]
    amount = write_money(total, ctx.style, currency_of(record, ctx)) if total is not None else ""
    shown = status.value(record, ctx)
    return Document(name, shown, amount, note, shown.tone == "late")


def _sums(records: Read, listed: list[CreatedRecord]) -> tuple[Decimal, Decimal]:
    """The total of the newest estimate, 0 for none, and that of the invoices."""
    estimates, invoices = (
        [
            _amount(records[each.resource, each.id], "total")
            for each in listed
            if each.resource == kind.name
            and records[each.resource, each.id].get(status) != CANCELLED
        ]
        for kind, status in ((ESTIMATES, "est_status"), (INVOICES, "inv_status"))
    )
    return next(iter(estimates), Decimal(0)), sum(invoices, Decimal(0))


def _left(ctx: RequestContext, deal: Record, estimate: Decimal, invoices: Decimal) -> Left | None:
    """What is left of the newest estimate, else of the deal's amount."""
    of = "of the estimate" if estimate else "of the deal"
    whole = estimate or _amount(deal, "deal_amount")
    left = whole - invoices
    if left <= 0:
        return None
    words = write_money(left, ctx.style, currency_of(deal, ctx))
    return Left(words, of, _percent(left, whole), charts.segments([("b0", invoices)], whole))


def _invoiced(ctx: RequestContext, deal: Record, invoices: Decimal) -> Figure:
    currency, amount = currency_of(deal, ctx), _amount(deal, "deal_amount")
    words = write_money(invoices, ctx.style, currency, is_shown=False)
    of = write_money(amount, ctx.style, currency, is_shown=False)
    note = f"{_percent(invoices, amount)} of {of}" if amount > 0 else ""
    return Figure(INVOICED, values.text(words), note, unit=currency)


def _amount(record: Record, field: str) -> Decimal:
    amount = record[field]
    return amount if isinstance(amount, Decimal) else Decimal(0)


def _percent(part: Decimal, whole: Decimal) -> str:
    return f"{100 * part / whole:.0f} %"
