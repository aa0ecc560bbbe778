"""The page Today and its panels."""

from collections.abc import Collection
from datetime import date, timedelta
from functools import partial
from itertools import chain
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
from dashboard.text.dates import SHORT_MONTHS, days, recent_time, relative_day
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
COLUMN_HEIGHT = 54  # px of the highest column
MAX_DRAFTS, MAX_ENTERED = 3, 5
TOP, LEFT, RIGHT = "top", "left", "right"
CUSTOMER = cells.pointer(CONTACTS, "customer_id")
CONTACT = cells.pointer(CONTACTS, "cstid")


class ReceivablesPanel(Panel):
    """A panel about open invoices, which are read once for all of these panels."""

    area = INVOICES.name
    link = "View all invoices"
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
    empty = "No invoice is open."

    def build(self, owed: Receivables) -> None:
        self.set_invoices(owed, owed.invoices)
        if not self.invoices:
            return
        self.note = owed.partial
        late = owed.balance(owed.overdue).words(self.ctx.style)
        self.figure = sum_figure(
            "Balance due",
            owed.balance(self.invoices),
            self.ctx.style,
            note=INVOICES.counted(len(self.invoices)),
            is_partial=not owed.rows.complete,
        )._replace(late=f"{late} overdue" if owed.overdue else "")
        self.picture = self._ages()

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


class WhoToChase(ReceivablesPanel):
    """Customers with overdue invoices, the largest balance first. The first of each currency are
    shown, as amounts of different currencies cannot be compared.
    """

    name, title, side = "overdue", "Who to chase", LEFT
    key = "g o"
    link = "View all overdue invoices"
    amount_label = "Overdue"
    query = {"due": "overdue", "view": "overdue"}
    record_url = "subject.url"
    empty = "No invoice is overdue."

    def build(self, owed: Receivables) -> None:
        self.set_invoices(owed, owed.overdue)
        self.heads = ("Customer", "Invoices", "Oldest", _titled("Overdue", self.currencies.common))
        customers = receivables.by_customer(self.invoices)
        amounts = self.currencies.main_amounts([them for _, them in customers], BALANCE)
        self.shares = dict(zip((number for number, _ in customers), amounts, strict=True))
        noun = "customer" if len(customers) == 1 else "customers"
        more = "" if owed.rows.complete else "+"
        self.count = f"{len(customers):,}{more} {noun}" if customers else ""
        groups = self.currencies.grouped(self.invoices).values()
        ranked = [[number for number, _ in receivables.by_customer(each)] for each in groups]
        chosen = list(dict.fromkeys(chain((each[0] for each in ranked), *ranked)))[:ROWS]
        shown = [each for each in customers if each[0] in chosen]
        self.shown = sorted(shown, key=lambda one: -self.shares[one[0]])
        ids = [number for number, _ in self.shown if number]
        self.pointers = [(CONTACTS, number) for number in ids]
        self.opened = reminders.opened_for(self.ctx, ids)

    def row(self, item: tuple[int, list[Record]]) -> PanelRow:
        """Links to the customer, and to their overdue invoices or the only one."""
        customer, invoices = item
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
        return PanelRow(
            CUSTOMER(oldest, self.ctx, self.names) or about,
            about,
            days((today - oldest["due_date"]).days),
            True,
            " + ".join(
                write_money(amount, self.ctx.style, name, is_shown=name != self.currencies.common)
                for name, amount in self.owed.balance(invoices).parts
            ),
            (RowAction("Reminder", "r", reminder), RowAction("Task", "t", task))
            if customer
            else (),
            note=f"reminded {reminders.ago(last, today)}" if last else "",
            bar=charts.segments(
                [("b3", self.shares[customer])], charts.highest(self.shares.values())
            ),
        )


class ComingIn(ReceivablesPanel):
    """Amounts due in the rest of this week and the following weeks."""

    name, title, side = "due", "Coming in", LEFT
    link = "View all due invoices"
    empty = "Nothing is due in the next six weeks."

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
            words = owed.balance(self.invoices).words(self.ctx.style)
            self.count = f"{at_least}{words} in six weeks"
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

    name, title, side, area = "deals", "Deals to close", LEFT, DEALS.name
    key = "g d"
    link = "View all deals"
    amount_label = "Amount"
    query = {}
    empty = "No deal is expected to close within a week."

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
            self.note = f"{SERVICE_AT_START} cannot filter by closing day: {read}."
        amount = self.currencies.total(closing, "deal_amount")
        at_least = "" if is_whole and amount.is_complete else "at least "
        count = f"{len(closing):,}{'' if is_whole else '+'}"
        words = f" · {at_least}{amount.words(self.ctx.style)}"
        self.count = f"{count}{words}" if closing else count

    def row(self, item: Record) -> PanelRow:
        deal = {"deal": str(item.id)}
        return PanelRow(
            values.link(address("deals", item.id), str(item["deal_name"] or item.id)),
            CONTACT(item, self.ctx, self.names),
            relative_day(item[CLOSES], timezone.localdate()),
            amount=self.currencies.amount(item, "deal_amount", self.ctx.style),
            actions=(
                RowAction("Task", "t", address("tasks", page="create", query=deal)),
                RowAction("Invoice", "i", address("invoices", page="create", query=deal)),
            ),
        )


class DueTasks(Panel):
    """Open tasks that end today or ended before: the person's own first, then the earliest."""

    name, title, side, area = "tasks", "Tasks", RIGHT, "tasks"
    key = "g t"
    link = "View all tasks"
    query = {}
    empty = "No task is due."
    builds_partly = True  # without the person's own, all stand in the order of their ends

    def calls(self) -> Calls:
        read = partial(tasks.TasksReading, self.ctx.gateway, due_date_to=timezone.localdate())
        me = tasks.own_user_id(self.ctx)
        return {"tasks": read, **({"own": partial(read, assigned_user_id=me)} if me else {})}

    def build(self, tasks: OpenTasks | None = None, own: OpenTasks | None = None) -> None:
        if tasks is None:
            return
        mine, today = {each.id for each in own.tasks} if own else set(), timezone.localdate()
        due = [each for each in tasks.tasks if end_of(each).date() <= today]
        due.sort(key=lambda each: (each.id not in mine, end_of(each).date(), each.id))
        late = sum(end_of(each).date() < today for each in due)
        more = "" if tasks.is_whole else "+"
        note = f" · {late} late, {len(due) - late} for today"
        self.shown = due[: 2 * ROWS]
        self.pointers = _contacts(self.shown)
        self.is_empty = tasks.total == 0
        self.count = f"{len(due):,}{more}{note if due else ''}"

    def row(self, item: Record) -> PanelRow:
        about = CONTACT(item, self.ctx, self.names)
        return tasks.task_row(self.ctx, item, page_url("today:home"), subject=about)


class NewLeads(Panel):
    """The newest leads that nobody has contacted."""

    name, title, side, area = "leads", "New leads", RIGHT, LEADS.name
    key = "g l"
    link = "View all new leads"
    query = {"lead_status": "New"}
    empty = "No new leads."

    def calls(self) -> Calls:
        return {"leads": self.begin_list(LEADS, filters=self.query, page_size=ROWS)}

    def build(self, leads: Page) -> None:
        self.shown = leads.records[:ROWS]
        self.is_empty = leads.total_records == 0
        self.count = "" if leads.total_records is None else f"{leads.total_records:,}"

    def row(self, item: Record) -> PanelRow:
        convert = address("leads", item.id, "convert", {"deal": "1"})
        return PanelRow(
            values.link(address("leads", item.id), str(item["cstname"] or item.id)),
            values.text(item["lead_company_name"] or item["lead_source"]),
            actions=(RowAction("Make a deal", "v", convert),),
        )


class OwnLine(NamedTuple):
    """A link to an unfinished or completed entry, with its time or "not sure"."""

    label: str
    url: str
    time: str = ""


class OwnWork(Panel):
    """The person's unfinished work, and today's entries."""

    name, title, side = "own", "Drafts and entries", RIGHT
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
    """What the person created today as text ("14 invoices, 3 contacts"), and the latest ones."""
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
    DealsToClose,
    DueTasks,
    NewLeads,
    OwnWork,
)


@require_safe
@permission_required(VIEW_RECORDS)
@page_without_keys
def show_today(ctx: RequestContext) -> HttpResponse:
    """A panel that fails shows its own error.

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
