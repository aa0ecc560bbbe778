"""The page Today and its panels."""

from collections.abc import Collection
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard.core.sealed import readable
from dashboard.core.service_name import SERVICE_AT_START
from dashboard.core.templates import address, page_url
from dashboard.documents import receivables, reminders
from dashboard.documents.invoices import INVOICES
from dashboard.documents.receivables import BALANCE, Receivables
from dashboard.gateway import CONTACTS, DEALS, LEADS, Page, Record
from dashboard.office import reference_lists
from dashboard.office.kinds import kinds_of_setup
from dashboard.overviews.periods import DaySpan, weeks_ahead
from dashboard.people.context import RequestContext, page_without_keys
from dashboard.people.permissions import (
    EDIT_RECORDS,
    MANAGE_SETTINGS,
    VIEW_RECORDS,
    permission_required,
)
from dashboard.reader import listing
from dashboard.reader.lookups import Pointer
from dashboard.records.panels import (
    ROWS,
    Calls,
    Panel,
    PanelRow,
    gather,
    name_records,
    sum_figure,
    summarise_failures,
)
from dashboard.records.repeats import DueRepeats
from dashboard.schema import cells, charts, values
from dashboard.schema.charts import Item, Numbers, Picture
from dashboard.schema.money import Currencies, currencies_of, total_of, write_money
from dashboard.schema.registry import RESOURCES
from dashboard.schema.values import RowAction
from dashboard.text.dates import SHORT_MONTHS, late_by, recent_time, relative_day
from dashboard.writes import drafts, history, ledger, outcomes
from dashboard.writes.draft_entries import draft_entries
from dashboard.writes.models import Write
from dashboard.writes.sidebar import sidebar_of

from . import open_tasks as tasks
from .open_tasks import OpenTasks, end_of

CLOSES = "deal_expected_close_date"
PAGE_SIZE = 100
CLOSING_DAYS = 7  # days
WEEKS = 6
COLUMN_HEIGHT = 44  # px of the highest column
UNKNOWN = "unknown currencies"
MAX_OTHERS = 2  # debtors of each currency but the main one
MAX_DRAFTS, MAX_ENTERED, MAX_LEADS = 3, 5, 3
TOP, LEFT, RIGHT = "top", "left", "right"
CUSTOMER = cells.pointer(CONTACTS, "customer_id")
CONTACT = cells.pointer(CONTACTS, "cstid")
CREATED = cells.day("cstcreated_on")


class ReceivablesPanel(Panel):
    """A panel about open invoices, which are read once for all of these panels."""

    area = INVOICES.name
    owed: Receivables
    invoices: list[Record]
    currencies: Currencies

    def calls(self) -> Calls:
        return {"owed": partial(receivables.Reading, self.ctx)}

    def set_invoices(self, owed: Receivables, invoices: list[Record]) -> None:
        self.owed, self.invoices, self.is_empty = owed, invoices, owed.rows.total == 0
        self.currencies = owed.currencies.among(invoices)


class OpenInvoices(ReceivablesPanel):
    """The total of open invoices, and its parts by how late they are."""

    name, title, side = "open", "Open invoices", TOP
    query = {"inv_status": "0"}
    empty = "No open invoices"

    def build(self, owed: Receivables) -> None:
        self.set_invoices(owed, owed.invoices)
        if not self.invoices:
            return
        self.note = owed.partial
        groups = self.currencies.grouped(self.invoices)
        (currency, main), *others = groups.items()
        counts = [f"{len(them):,} in {name or UNKNOWN}" for name, them in groups.items()]
        self.count = ", ".join(counts) if others else INVOICES.counted(len(main))
        self.figure = sum_figure(
            "Balance due",
            owed.balance(main),
            self.ctx.style,
            note=", ".join(f"and {self._owed_in(name, them)}" for name, them in others),
            is_partial=not owed.rows.complete,
        )._replace(late=self._overdue_in(currency, main))
        self.picture = self._ages()

    def _owed_in(self, currency: str, invoices: list[Record]) -> str:
        balance = write_money(total_of(invoices, BALANCE).amount, self.ctx.style, currency)
        return ", ".join(filter(None, [balance, self._overdue_in(currency, invoices)]))

    def _overdue_in(self, currency: str, invoices: list[Record]) -> str:
        late = [each for each in invoices if receivables.days_late(each, self.owed.today)]
        amount = total_of(late, BALANCE).amount
        words = write_money(amount, self.ctx.style, currency, is_shown=False)
        return f"{words} overdue" if late else ""

    def _ages(self) -> Picture:
        currency, drawn = self.currencies.main(self.invoices)
        ages = receivables.sums_by_age(drawn, self.owed.today)
        write = partial(write_money, style=self.ctx.style, currency=currency, is_shown=False)
        rows: list[Numbers] = [
            (values.text(age.label), [age.sum.count, age.sum.amount]) for age in ages
        ]
        heads = ("Age", "Invoices", "Balance due")
        table = charts.table(heads, rows, self.ctx.style, currency)
        strip = receivables.age_strip(ages, write)
        return Picture(_titled("Open invoices by age", currency), table, strip=strip)


class Debtor(NamedTuple):
    """A customer with the overdue invoices of one currency. `top`: the largest balance of a
    customer in it. `is_first`: the first one of another currency than the main one.
    """

    customer: int
    invoices: list[Record]
    currency: str
    top: Decimal
    is_first: bool

    @property
    def balance(self) -> Decimal:
        return total_of(self.invoices, BALANCE).amount


class WhoToChase(ReceivablesPanel):
    """Customers with overdue invoices by currency, the largest balance first."""

    name, title, side = "overdue", "Who to chase", LEFT
    key = "g o"
    amount_label = "Overdue"
    query = {"due": "overdue", "view": "overdue"}
    record_url = "about.url"
    empty = "No overdue invoices"

    def build(self, owed: Receivables) -> None:
        self.set_invoices(owed, owed.overdue)
        groups = self.currencies.grouped(self.invoices)
        self.heads = ("Customer", "", "Oldest", _titled("Overdue", next(iter(groups), "")))
        number = len(receivables.by_customer(self.invoices))
        more = "" if owed.rows.complete else "+"
        noun = "customer" if number == 1 else "customers"
        self.count = f"{number:,}{more} {noun}" if number else ""
        self.shown = debtors = [
            each
            for place, (currency, invoices) in enumerate(groups.items())
            for each in _debtors(currency, invoices, is_main=place == 0)
        ]
        ids = [each.customer for each in debtors if each.customer]
        self.pointers = [(CONTACTS, number) for number in ids]
        self.opened = reminders.opened_for(self.ctx, ids)

    def row(self, item: Debtor) -> PanelRow:
        """Return a row that links to the customer, and to their overdue invoices or the
        only one.
        """
        customer, invoices = item.customer, item.invoices
        oldest, today = invoices[0], self.owed.today
        is_one = len(invoices) == 1 or not customer
        number = str(oldest["inv_number"] or oldest.id)
        theirs = {"due": "overdue", "cstid": str(customer)}
        url = address("invoices", oldest.id) if is_one else address("invoices", query=theirs)
        about = values.link(url, number if is_one else INVOICES.counted(len(invoices)))
        task = address("tasks", page="create", query={"contact": str(customer)})
        only = {"invoice": str(oldest.id)} if is_one else None
        reminder = address("contacts", customer, "statement", only)
        numbers = {INVOICES.title(each) for each in invoices}
        last = next((one for one in self.opened if numbers & set(one.numbers)), None)
        name = CUSTOMER(oldest, self.ctx, self.names)
        return PanelRow(
            name or about,
            due_text=late_by((today - oldest["due_date"]).days),
            late=True,
            amount=write_money(item.balance, self.ctx.style, item.currency, is_shown=False),
            actions=(RowAction("Reminder", "r", reminder), RowAction("Task", "t", task))
            if customer
            else (),
            note=f"reminded {reminders.ago(last, today)}" if last else "",
            bar=charts.segments([("b3", item.balance)], item.top),
            about=about if name else values.EMPTY,
            group=f"In {item.currency or UNKNOWN}" if item.is_first else "",
        )


def _debtors(currency: str, invoices: list[Record], *, is_main: bool) -> list[Debtor]:
    customers = receivables.by_customer(invoices)
    top = charts.highest(total_of(them, BALANCE).amount for _, them in customers)
    return [
        Debtor(customer, them, currency, top, not is_main and place == 0)
        for place, (customer, them) in enumerate(customers[: ROWS if is_main else MAX_OTHERS])
    ]


class ComingIn(ReceivablesPanel):
    """Amounts due in the rest of this week and the following weeks."""

    name, title, side = "due", f"Expected in the next {WEEKS} weeks", LEFT
    empty = f"Nothing due in the next {WEEKS} weeks"

    @property
    def url(self) -> str:
        due_on = f"{timezone.localdate()}.."
        return address("invoices", query={"inv_status": "0", "due_on": due_on})

    def build(self, owed: Receivables) -> None:
        spans = weeks_ahead(owed.today, WEEKS, self.ctx.style.first_weekday)
        ahead = DaySpan(spans[0].first, spans[-1].last)
        dated = [each for each in owed.invoices if isinstance(each["due_date"], date)]
        self.set_invoices(owed, [each for each in dated if ahead.holds(each["due_date"])])
        if self.invoices:
            at_least = "" if owed.rows.complete else "at least "
            self.count = f"{at_least}{owed.balance(self.invoices).words(self.ctx.style)}"
            self.picture = self._weeks(spans)

    def _weeks(self, spans: list[DaySpan]) -> Picture:
        (currency, drawn), style = self.currencies.main(self.invoices), self.ctx.style
        items, rows = [], list[Numbers]()
        for at, span in enumerate(spans):
            them = [each for each in drawn if span.holds(each["due_date"])]
            amount = total_of(them, BALANCE).amount
            money, count = write_money(amount, style, currency), INVOICES.counted(len(them))
            query = {"inv_status": "0", "due_on": span.value}
            item = Item(
                f"{span.first.day} {SHORT_MONTHS[span.first.month - 1]}" if at else "this week",
                amount,
                charts.short_amount(amount, style) if amount else "",
                f"{span.words}: {money}, {count}",
                address("invoices", query=query) if them else "",
                "b0" if at else "now",
            )
            items.append(item)
            rows.append((values.text(span.words), [len(them), amount]))
        table = charts.table(("Due", "Invoices", "Balance due"), rows, style, currency)
        title = _titled("Balance due by week", currency)
        return Picture(title, table, columns=charts.columns(items, COLUMN_HEIGHT))


class DealsToClose(Panel):
    """Deals that are expected to close within a week."""

    name, title, side, area = "deals", "Deals to close", RIGHT, DEALS.name
    key = "g d"
    amount_label = "Amount"
    query = {}
    empty = "No deals due to close this week"

    def calls(self) -> Calls:
        return {"deals": self.begin_list(DEALS, page_size=PAGE_SIZE)}

    def build(self, deals: Page) -> None:
        today, is_whole = timezone.localdate(), deals.is_whole
        week = DaySpan(today, today + timedelta(CLOSING_DAYS))
        dated = [(each[CLOSES], each.id, each) for each in deals.records]
        dated = [each for each in dated if isinstance(each[0], date) and week.holds(each[0])]
        closing = [each for *_, each in sorted(dated)]
        self.currencies = currencies_of(self.ctx, DEALS, closing)
        self.shown = closing[:ROWS]
        self.pointers = _contacts(self.shown)
        self.is_empty = deals.total_records == 0
        if not is_whole:
            read = f"{listing.read_of(deals)} deals read"
            self.note = f"{SERVICE_AT_START} can't filter by expected close: {read}"
        amount = self.currencies.total(closing, "deal_amount")
        at_least = "" if is_whole and amount.is_complete else "at least "
        count = f"{len(closing):,}{'' if is_whole else '+'}"
        words = f" · {at_least}{amount.words(self.ctx.style)}"
        self.count = f"{count}{words}" if closing else count

    def row(self, item: Record) -> PanelRow:
        deal = {"deal": str(item.id)}
        return PanelRow(
            values.link(address("deals", item.id), str(item["deal_name"] or item.id)),
            due_text=relative_day(item[CLOSES], timezone.localdate()),
            about=CONTACT(item, self.ctx, self.names),
            amount=self.currencies.amount(item, "deal_amount", self.ctx.style),
            actions=(
                RowAction("Task", "t", address("tasks", page="create", query=deal)),
                RowAction("Invoice", "i", address("invoices", page="create", query=deal)),
            ),
        )


class DueTasks(Panel):
    """Open tasks that end today or ended before, the longest overdue first."""

    name, title, side, area = "tasks", "Tasks", RIGHT, "tasks"
    key = "g t"
    query = {}
    empty = "No tasks due"

    def calls(self) -> Calls:
        today = timezone.localdate()
        return {"tasks": partial(tasks.TasksReading, self.ctx.gateway, due_date_to=today)}

    def build(self, tasks: OpenTasks) -> None:
        today = timezone.localdate()
        due = [each for each in tasks.tasks if end_of(each).date() <= today]
        late = sum(end_of(each).date() < today for each in due)
        more = "" if tasks.is_whole else "+"
        self.shown = due[: 2 * ROWS]
        self.pointers = _contacts(self.shown)
        self.is_empty = tasks.total == 0
        self.count = f"{late:,}{more} overdue, {len(due) - late:,} today" if due else ""

    def row(self, item: Record) -> PanelRow:
        row = tasks.task_row(self.ctx, item, page_url("today:home"))
        return row._replace(about=CONTACT(item, self.ctx, self.names))


class NewLeads(Panel):
    """The newest leads that nobody has contacted."""

    name, title, side, area = "leads", "New leads", RIGHT, LEADS.name
    key = "g l"
    query = {"lead_status": "New"}
    empty = "No new leads"

    def calls(self) -> Calls:
        return {"leads": self.begin_list(LEADS, filters=self.query, page_size=MAX_LEADS)}

    def build(self, leads: Page) -> None:
        self.shown = leads.records[:MAX_LEADS]
        self.is_empty = leads.total_records == 0
        self.count = "" if leads.total_records is None else f"{leads.total_records:,}"

    def row(self, item: Record) -> PanelRow:
        convert = address("leads", item.id, "convert", {"deal": "1"})
        return PanelRow(
            values.link(address("leads", item.id), str(item["cstname"] or item.id)),
            due_text=CREATED(item, self.ctx, self.names).text,
            about=values.text(item["lead_company_name"] or item["lead_source"]),
            actions=(RowAction("Create deal", "v", convert),),
        )


class OwnLine(NamedTuple):
    """A link to an unfinished or completed entry, with its time or "not sure"."""

    label: str
    url: str
    time: str = ""


class OwnWork(Panel):
    """The person's unfinished work, and today's entries."""

    name, title, side = "own", "Your work today", RIGHT
    template = "overviews/_your_work.html"
    unfinished: list[OwnLine]
    entered: str
    latest: list[OwnLine]

    @property
    def is_hidden(self) -> bool:
        return not self.ctx.may(EDIT_RECORDS)

    def build(self) -> None:
        if not self.is_hidden:
            self.unfinished = _unfinished(self.ctx)
            self.entered, self.latest = _entered_today(self.ctx)
            self.is_empty = not (self.unfinished or self.entered)


def _unfinished(ctx: RequestContext) -> list[OwnLine]:
    """Unresolved writes and drafts, read only if the sidebar's counts show any."""
    sidebar, most = sidebar_of(ctx.request), MAX_DRAFTS
    unresolved = ledger.unresolved(ctx.user)[:most] if sidebar.unresolved else ()
    lines = [
        OwnLine(outcomes.question(each), page_url("unsure:show", each.pk), "not sure")
        for each in unresolved
    ]
    if sidebar.forms:
        waiting = drafts.open_drafts(ctx.user).filter(workspace=ctx.workspace)[:most]
        lines += [
            OwnLine(", ".join([entry["label"], *entry["facts"]]), entry["url"], entry["at"])
            for entry in draft_entries(waiting, ctx)
            if entry["url"] and not entry["is_old"]
        ]
    return lines


def _entered_today(ctx: RequestContext) -> tuple[str, list[OwnLine]]:
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    created = Write.objects.filter(
        person=ctx.user, workspace=ctx.workspace, operation="create", done_at__gte=midnight
    )
    # By the state, too: as a condition, its index would read all that the person ever saved.
    counts = created.values_list("resource", "state").annotate(number=Count("pk")).order_by()
    saved = [
        (-number, name)
        for name, state, number in counts
        if state == Write.State.SAVED and name in RESOURCES
    ]
    words = [RESOURCES[name].counted(-number) for number, name in sorted(saved)]
    if not words:
        return "", []
    latest = history.created_by(ctx.user, ctx.workspace)
    latest = latest.filter(done_at__gte=midnight, resource__in=RESOURCES)
    lines = [
        OwnLine(
            _label(each),
            address(each.resource, each.record_id),
            recent_time(each.at, timezone.localdate()),
        )
        for each in latest[:MAX_ENTERED]
    ]
    return ", ".join(words), lines


def _label(write: Write) -> str:
    noun = RESOURCES[write.resource].singular.capitalize()
    return f"{noun} {readable(write, 'changes').get('label', write.record_id)}"


def _contacts(records: Collection[Record]) -> list[Pointer]:
    numbers = [each["cstid"] for each in records]
    return [(CONTACTS, each) for each in numbers if isinstance(each, int) and each > 0]


def _titled(title: str, currency: str) -> str:
    return f"{title}, {currency}" if currency else title


TODAY_PANELS = (
    DueRepeats,
    OpenInvoices,
    WhoToChase,
    ComingIn,
    DueTasks,
    NewLeads,
    DealsToClose,
    OwnWork,
)


@require_safe
@permission_required(VIEW_RECORDS)
@page_without_keys
def show_today(ctx: RequestContext) -> HttpResponse:
    """Show Today. A panel that fails shows its own error.

    A person without keys is redirected to the welcome page, an administrator to the setup page as
    long as one of its lists offers nothing.
    """
    if not ctx.workspace:
        return redirect("credentials:connect")
    if ctx.may(MANAGE_SETTINGS) and ctx.settings.in_setup:
        lists = reference_lists.get_cached_lists(ctx.workspace)
        if not all(map(lists.active_choices, kinds_of_setup(ctx.closed_areas))):
            return redirect("setup:page")
    ctx.open_keys()
    panels = gather(TODAY_PANELS, ctx)
    names = name_records(ctx, panels)
    of_service = [panel for panel in panels if panel.area]
    context = {
        "today": timezone.localdate(),
        "is_empty": not ctx.closed_areas and all(panel.is_empty for panel in of_service),
        "sides": {
            side: [panel for panel in panels if panel.side == side] for side in (TOP, LEFT, RIGHT)
        },
        "failures": summarise_failures(of_service),
        "late": names.late_url,
        "may_edit": ctx.may(EDIT_RECORDS),
    }
    return ctx.render("overviews/today.html", context)


app_name = "today"
urlpatterns = [path("", show_today, name="home")]
