"""The page of a contact with its panels: what they owe, their documents, tasks and people."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.utils import timezone

from dashboard.core.service_name import SERVICE_AT_START
from dashboard.core.templates import address
from dashboard.documents import receivables
from dashboard.documents.cells import OPEN, not_cancelled, time_left
from dashboard.documents.estimates import ESTIMATES
from dashboard.documents.invoices import INVOICES
from dashboard.documents.receivables import Receivables
from dashboard.gateway import CONTACTS, TASKS, GatewayError, Page, Record
from dashboard.gateway.api import BUSINESS
from dashboard.overviews.periods import DEFAULT_PERIOD, DaySpan, by_month, months, period_of
from dashboard.people.context import RequestContext, page
from dashboard.people.permissions import EDIT_RECORDS
from dashboard.reader import listing, lookups
from dashboard.records.panels import (
    BELOW,
    MAIN,
    ROWS,
    Calls,
    Figure,
    Panel,
    PanelRow,
    not_read,
    sum_figure,
)
from dashboard.records.record_page import RecordPage
from dashboard.resources.deals import DEALS
from dashboard.resources.tasks import OPEN_STATUSES, STATUS
from dashboard.schema import cells, charts, values
from dashboard.schema.cells import NO_NAMES, Names
from dashboard.schema.charts import Item, Numbers, Picture
from dashboard.schema.money import Currencies, currencies_of, total_of, write_money
from dashboard.schema.resource import Resource
from dashboard.schema.values import DisplayValue
from dashboard.text.dates import SHORT_MONTHS, days, relative_day, short_date
from dashboard.writes.history_words import CreatedRecord, TimelineEntry

from . import open_tasks as tasks
from .open_tasks import OpenTasks, end_of

PAGE_SIZE = 100
MAX_PEOPLE = 8
PEOPLE_NOTE = "Shows only people opened or added in Entry Desk"
TASKS_NOTE = f"Shows only tasks added in Entry Desk: {SERVICE_AT_START} didn't send the rest."
COLUMN_HEIGHT = 56  # px of the highest column
MARKS = (("b0", "Invoiced"), ("b1", "Unpaid"))
HEADS = ("Month", "Invoices", "Invoiced", "Balance due")
STAGE = next(each for each in DEALS.columns if each.name == "deal_current_stage")


class RecordsPanel(Panel):
    """The contact's latest records of one resource, their number, and the sum of those not
    cancelled.
    """

    side = MAIN
    resource: Resource
    amount_field = "total"
    currencies: Currencies

    @property
    def url(self) -> str:
        return address(self.resource.name, query={"cstid": str(self.subject.record_id)})

    def calls(self) -> Calls:
        filters = {"cstid": self.subject.record_id}
        read = self.begin_list(self.resource.endpoint, filters=filters, page_size=PAGE_SIZE)
        return {self.resource.name: read}

    def set_records(self, page: Page) -> None:
        self.currencies = currencies_of(self.ctx, self.resource.endpoint, page.records)
        self.shown = page.records[:ROWS]
        at_least, more = ("", "") if page.is_whole else ("at least ", "+")
        counted = not_cancelled(page.records)
        total = self.currencies.total(counted, self.amount_field).words(self.ctx.style)
        known = page.total_records
        count = f"{len(page.records):,}{more}" if known is None else f"{known:,}"
        self.count = f"{count} · {at_least}{total} in all" if page.records else ""

    def name_of(self, record: Record) -> DisplayValue:
        return values.link(self.resource.url(record.id), self.resource.title(record))

    def document_row(self, record: Record, deadline: str, amount: str) -> PanelRow:
        """Return the row of an estimate or invoice with the day in the field `deadline`."""
        [status], today = self.resource.badges, timezone.localdate()
        ends, is_open = record[deadline], record[status.name] == OPEN
        row = PanelRow(
            self.name_of(record), status.value(record, self.ctx, self.names), amount=amount
        )
        if not isinstance(ends, date):
            return row._replace(due_text=values.text(ends).words)
        last_day, left = short_date(ends, today), (ends - today).days
        if not is_open:
            return row._replace(due_text=last_day)
        return row._replace(day=last_day, due_text=time_left(deadline, left), late=left < 0)


class Invoices(RecordsPanel):
    """Their open invoices, the first to be due first, then the latest of the others: the total of
    each, and the balance due.
    """

    name = area = INVOICES.name
    title, resource = INVOICES.label, INVOICES
    amount_label = "Balance due"
    empty = "No invoices yet"

    def __init__(self, ctx: RequestContext, subject: Any = None) -> None:
        super().__init__(ctx, subject)
        labels = ("Owes", "Overdue", f"Invoiced in {ctx.today.year}")
        self.figures: Sequence[Figure] = tuple(map(not_read, labels))

    def build(self, invoices: Page) -> None:
        self.set_records(replace(invoices, records=tuple(sorted(invoices.records, key=_order))))
        self.picture = twelve_months(self.ctx, invoices.records, self.subject.record_id)
        owed_figures = list(self.figures[:1])
        with suppress(GatewayError):  # their rows were read; what they owe may take another call
            owed = receivables.of_contact(self.ctx, self.subject.record_id, invoices)
            owed_figures = self._owed(owed)
        self.figures = (
            *(owed_figures if invoices.records else ()),
            *self._invoiced_this_year(invoices),
        )

    def _owed(self, owed: Receivables) -> list[Figure]:
        late, open_words = owed.overdue, _counted(len(owed.invoices), "open invoice")
        late_words = _counted(len(late), "invoice")
        if late:
            late_words += f", oldest {days(receivables.days_late(late[0], owed.today))}"
        owes, overdue = (
            sum_figure(
                label,
                owed.balance(records),
                self.ctx.style,
                note=note,
                is_partial=not owed.rows.complete,
            )
            for label, records, note in (
                ("Owes", owed.invoices, owed.partial or open_words),
                ("Overdue", late, late_words),
            )
        )
        return [owes, overdue._replace(is_late=True)] if late else [owes]

    def _invoiced_this_year(self, invoices: Page) -> list[Figure]:
        year = DaySpan(date(self.ctx.today.year, 1, 1), date(self.ctx.today.year, 12, 31))
        [dated] = by_month(not_cancelled(invoices.records), [year])
        if not dated:
            return []
        total = currencies_of(self.ctx, INVOICES.endpoint, dated).total(dated, "total")
        note = _counted(len(dated), "invoice")
        if not invoices.is_whole:
            note += f" among {listing.read_of(invoices)} read"
        figure = sum_figure(
            f"Invoiced in {year.first.year}",
            total,
            self.ctx.style,
            note=note,
            is_partial=not invoices.is_whole,
        )
        return [figure]

    def row(self, item: Record) -> PanelRow:
        due, total = (
            self.currencies.amount(item, name, self.ctx.style) for name in ("amount_due", "total")
        )
        is_settled = item["amount_due"] == 0
        row = self.document_row(item, "due_date", "" if is_settled else due)
        return row._replace(total="" if due == total else total)


def _order(invoice: Record) -> tuple[bool, date]:
    due, is_open = invoice["due_date"], invoice["inv_status"] == OPEN
    return not is_open, due if is_open and isinstance(due, date) else date.max


def twelve_months(ctx: RequestContext, invoices: Sequence[Record], contact: int) -> Picture | None:
    """Return the chart of a contact's invoices in their most frequent currency; None if none is
    from these months.
    """
    valid = not_cancelled(invoices)
    spans = months(period_of(DEFAULT_PERIOD, timezone.localdate()))
    currency, drawn = currencies_of(ctx, INVOICES.endpoint, valid).main(valid)
    of_months = by_month(drawn, spans)
    if not any(of_months):
        return None
    items: list[Item] = []
    rows: list[Numbers] = []
    for span, them in zip(spans, of_months, strict=True):
        item = _month(ctx, span, them, contact, currency)
        items.append(item)
        rows.append((values.text(span.month), [len(them), item.value, item.due]))
    title = f"Invoiced by month{f', {currency}' if currency else ''}"
    table = charts.table(HEADS, rows, ctx.style, currency)
    marks = MARKS if any(each.due for each in items) else MARKS[:1]
    return Picture(title, table, columns=charts.columns(items, COLUMN_HEIGHT), marks=marks)


def _month(
    ctx: RequestContext, span: DaySpan, invoices: list[Record], contact: int, currency: str
) -> Item:
    amount = total_of(invoices, "total").amount
    open_ones = [each for each in invoices if each["inv_status"] == OPEN]
    due = max(total_of(open_ones, receivables.BALANCE).amount, Decimal(0))
    words, left = (write_money(each, ctx.style, currency) for each in (amount, due))
    count = INVOICES.counted(len(invoices))
    url = address("invoices", query={"cstid": str(contact), "date": span.value}) if invoices else ""
    return Item(
        SHORT_MONTHS[span.first.month - 1],
        amount,
        charts.short_amount(amount, ctx.style) if amount else "",
        f"{span.month}: {words}, {count}" + (f", {left} unpaid" if due else ""),
        url,
        due=due,
    )


class Estimates(RecordsPanel):
    name = area = ESTIMATES.name
    title, resource = ESTIMATES.label, ESTIMATES
    amount_label = "Total"
    empty = "No estimates yet"

    def build(self, estimates: Page) -> None:
        self.set_records(estimates)

    def row(self, item: Record) -> PanelRow:
        amount = self.currencies.amount(item, "total", self.ctx.style)
        return self.document_row(item, "expiry_date", amount)


class Deals(RecordsPanel):
    """Their latest deals with their stages, loaded after the page if a list lacks them."""

    name = area = DEALS.name
    title, resource = DEALS.label, DEALS
    amount_label, amount_field = "Amount", "deal_amount"
    empty = "No deals yet"
    figures: Sequence[Figure] = (not_read("Deals"),)

    def build(self, deals: Page) -> None:
        self.set_records(deals)
        total = self.currencies.total(deals.records, "deal_amount")
        # the service does not say which are still open
        note = f"{_counted(deals.total_records, 'deal')}, open and closed"
        figure = sum_figure(
            "Deals", total, self.ctx.style, note=note, is_partial=not deals.is_whole
        )
        self.figures = (figure,) if deals.records else ()
        ids = [record.id for record in self.shown]
        self.read = lookups.cached_records(self.ctx.gateway, DEALS.endpoint, ids)

    def late_url(self, rows: Iterable[PanelRow]) -> str:
        awaited = [str(each.record_id) for each in rows if each.subject.late]
        return f"{DEALS.url(page='cells')}?ids={','.join(awaited)}" if awaited else ""

    def row(self, item: Record) -> PanelRow:
        closes = item["deal_expected_close_date"]
        return PanelRow(
            self.name_of(item),
            DEALS.cell(STAGE, item, self.ctx, self.names, self.read),
            relative_day(closes, timezone.localdate()) if isinstance(closes, date) else "",
            amount=self.currencies.amount(item, "deal_amount", self.ctx.style),
            record_id=item.id,
        )


class Tasks(Panel):
    """Their open tasks among those read, the earliest first, then those created here."""

    name = area = TASKS.name
    title, side = "Tasks", MAIN
    empty = "No open tasks"
    builds_partly = True

    def calls(self) -> Calls:
        return {
            f"tasks_{status}": self.begin_list(
                TASKS, filters={"status": status}, page_size=tasks.PAGE_SIZE
            )
            for status in OPEN_STATUSES
        }

    def build(self, **pages: Page) -> None:
        read, contact = OpenTasks(pages.values()), self.subject.record_id
        theirs = [each for each in read.tasks if each["cstid"] == contact]
        self.subject.task_entries = [
            _task_entry(each, self.ctx) for each in theirs if end_of(each) != datetime.max
        ]
        seen, created = {each.id for each in theirs}, self.subject.history.created
        entered = [each for each in created if each.resource == TASKS.name and each.id not in seen]
        found = [*theirs, *entered]
        self.shown = found[:ROWS]
        self.count = f"{len(found):,}" if found else ""
        if not theirs and len(pages) < len(OPEN_STATUSES):
            self.note = TASKS_NOTE
        elif not read.is_whole:
            self.note = f"Only the first {len(read.tasks):,} open tasks were searched."

    def row(self, item: Record | CreatedRecord) -> PanelRow:
        if isinstance(item, CreatedRecord):
            name = values.link(address("tasks", item.id), item.label.removeprefix("Task "))
            return PanelRow(name, values.muted("entered here"), item.at)
        back = address(CONTACTS.name, self.subject.record_id)
        return tasks.task_row(self.ctx, item, back, subject=STATUS(item, self.ctx, self.names))


def _task_entry(task: Record, ctx: RequestContext) -> TimelineEntry:
    words = f"Task {task['title'] or task.id}, {STATUS(task, ctx, NO_NAMES).words.lower()}"
    at = timezone.make_aware(end_of(task))
    return TimelineEntry(words, at, TASKS.name, task.id, address(TASKS.name, task.id))


class People(Panel):
    name, title, side = "people", "People", BELOW
    link = "New person"
    note = PEOPLE_NOTE

    @property
    def is_hidden(self) -> bool:
        return bool(self.subject.record["contact_type"] != BUSINESS)

    @property
    def url(self) -> str:
        query = {"business": str(self.subject.record_id)}
        return address("contacts", page="create", query=query) if self.key else ""

    def build(self) -> None:
        if self.is_hidden:
            return
        business, created = self.subject.record, self.subject.history.created
        self.key = "n" if self.ctx.may(EDIT_RECORDS) else ""
        entered = [each.id for each in created if each.resource == CONTACTS.name]
        known = lookups.cached_children(self.ctx.gateway, CONTACTS, business.id)
        people = list(dict.fromkeys([*known, *entered]))[:MAX_PEOPLE]
        self.pointers = [(CONTACTS, each) for each in people]

    def use_names(self, names: Names) -> None:
        super().use_names(names)
        people = [number for _, number in self.pointers]
        self.shown = [each for each in people if names.titles.get((CONTACTS.name, each)) != ""]
        self.count = f"{len(self.shown):,}" if self.shown else ""

    def row(self, item: int) -> PanelRow:
        return PanelRow(cells.titled(CONTACTS, item, self.names))


def _counted(count: int | None, noun: str) -> str:
    if not count:
        return f"{noun}s" if count is None else f"no {noun}"
    return f"{count:,} {noun}{'s' * (count != 1)}"


CONTACT_PANELS = (Invoices, Deals, Estimates, Tasks, People)


class ContactPage(RecordPage):
    template = "overviews/contact.html"
    panel_types = CONTACT_PANELS
    with_events = True
    logged_as = TASKS.name

    def __init__(self, ctx: RequestContext, resource: Resource, record_id: int) -> None:
        super().__init__(ctx, resource, record_id)
        main, has_invoices = super().main, INVOICES.name not in ctx.closed_areas
        self.has_nothing = not any(each.shown or each.count or each.failure for each in main)
        self.tasks_note = next((each.note for each in main if each.name == TASKS.name), "")
        self.statement_url = resource.url(record_id, "statement") if has_invoices else ""
        self.merge_url = resource.url(record_id, "merge")

    @property
    def log_params(self) -> dict[str, str]:
        return {"contact": str(self.record_id)}

    @property
    def log_titles(self) -> tuple[str, str]:
        return f"Call with {self.title}", "Note"

    @property
    def main(self) -> list[Panel]:
        return [] if self.has_nothing else super().main

    @cached_property
    def figures(self) -> list[Figure]:
        return [] if self.has_nothing else super().figures


@page
def show_contact(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    return ContactPage(ctx, resource, record_id).render()
