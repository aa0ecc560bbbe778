"""The page of a deal: its stage, next task, documents and history.

The service lists neither tasks nor documents by their deal. Those in the history are read by id.
"""

from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from dashboard.documents.cells import not_cancelled
from dashboard.documents.estimates import ESTIMATES
from dashboard.documents.invoices import INVOICES
from dashboard.gateway import CONTACTS, NotOffered, Record, whole_number
from dashboard.office.kinds import Kind
from dashboard.people.context import RequestContext, page
from dashboard.reader import lookups
from dashboard.records.panels import MAIN, SIDE, Figure, Panel, PanelRow
from dashboard.records.record_page import RecordPage, ShownDetail
from dashboard.resources.tasks import OPEN_STATUSES, TASKS
from dashboard.schema import cells, charts, values
from dashboard.schema.charts import Segment
from dashboard.schema.money import currencies_of, currency_of, total_of, write_money
from dashboard.schema.resource import Detail, Resource
from dashboard.schema.values import DisplayValue
from dashboard.text.dates import days_until, relative_day
from dashboard.writes.history_words import CreatedRecord

from . import open_tasks
from .customer import CustomerOfDeal
from .stages import STAGE, Step, stage_progress, stages
from .task import FieldUpdate

AMOUNT, CLOSES = "deal_amount", "deal_expected_close_date"
COMPANY, PERSON, OWNER = "cstid", "deal_contact_id", "deal_owner_id"
MAX_READ = 8  # records of each kind, the newest
DOCUMENTS = (ESTIMATES, INVOICES)
TASK_OWNER = cells.reference(Kind.USER, "assigned_user_id")


class NextStep(Panel):
    """The open task that is due first. `others`: the number of other open tasks."""

    name, title, side = "next", "Next step", MAIN
    template = "overviews/_deal_next.html"
    others = 0

    def build(self) -> None:
        read = self.subject.entered[TASKS.name].values()
        open_ones = open_tasks.by_end(each for each in read if each["status"] in OPEN_STATUSES)
        self.shown, self.others = open_ones[:1], max(0, len(open_ones) - 1)
        created = [each for each in self.subject.history.created if each.resource == TASKS.name]
        if unread := len(created[:MAX_READ]) - len(read):
            self.note = f"{TASKS.counted(unread)} could not be read."

    def row(self, item: Record) -> PanelRow:
        back = self.subject.resource.url(self.subject.record_id)
        owner = TASK_OWNER(item, self.ctx, self.names)
        row = open_tasks.task_row(self.ctx, item, back, subject=owner)
        ends = open_tasks.end_of(item)
        is_timed = not row.late and ends != datetime.max
        return row._replace(due_text=f"{row.due_text} {ends:%H:%M}") if is_timed else row


class Remainder(NamedTuple):
    """The amount left to invoice and its share of the whole; `bar`: the invoiced share."""

    amount: str
    of: str
    share: str
    bar: tuple[Segment, ...]


class Documents(Panel):
    """The estimates and invoices of the deal, the newest first, and what is left to invoice."""

    name, title, side = "documents", "Estimates and invoices", SIDE
    template = "overviews/_deal_documents.html"
    remainder: Remainder | None = None

    def build(self) -> None:
        ctx, deal, entered = self.ctx, self.subject.record, self.subject.entered
        kinds = {each.name: each for each in DOCUMENTS if each.name not in ctx.closed_areas}
        listed = [each for each in self.subject.history.created if each.resource in kinds]
        self.shown = [
            (kinds[each.resource], each, entered[each.resource].get(each.id))
            for each in listed[: 2 * MAX_READ]
        ]
        read = [record for kind in kinds for record in entered[kind].values()]
        common = currencies_of(ctx, INVOICES.endpoint, read).common
        if listed and len(read) == len(listed) and common == currency_of(deal, ctx):
            # The newest first, as the history has them.
            estimates, invoices = (
                not_cancelled(
                    entered[kind.name][each.id] for each in listed if each.resource == kind.name
                )
                for kind in DOCUMENTS
            )
            estimate = total_of(estimates[:1], "total").amount
            invoiced = total_of(invoices, "total").amount
            self.remainder = self._remainder(estimate, invoiced)

    def row(self, item: tuple[Resource, CreatedRecord, Record | None]) -> PanelRow:
        resource, created, record = item
        number = created.label.removeprefix(f"{resource.singular.capitalize()} ")
        name = values.link(resource.url(created.id), resource.title(record) if record else number)
        if record is None:
            return PanelRow(name)
        [status, *_] = resource.badges
        field, word = ("due_date", "due") if resource is INVOICES else ("expiry_date", "until")
        ends, total = record.get(field), record["total"]
        note = f"{word} {relative_day(ends, self.ctx.today)}" if isinstance(ends, date) else ""
        amount = "" if total is None else self._money(total, record)
        shown = status.value(record, self.ctx)
        return PanelRow(name, shown, note, shown.tone == "late", amount)

    def _money(self, amount: Decimal, of: Record) -> str:
        return write_money(amount, self.ctx.style, currency_of(of, self.ctx))

    def _remainder(self, estimate: Decimal, invoiced: Decimal) -> Remainder | None:
        of = "of the estimate" if estimate else "of the deal"
        whole = estimate or total_of([self.subject.record], AMOUNT).amount
        left = whole - invoiced
        if left <= 0:
            return None
        bar = charts.segments([("b0", invoiced)], whole)
        return Remainder(self._money(left, self.subject.record), of, _percent(left, whole), bar)


def _percent(part: Decimal, whole: Decimal) -> str:
    return f"{100 * part / whole:.0f}%"


class DealPage(RecordPage):
    panel_types = (NextStep, Documents, CustomerOfDeal)
    template = "overviews/deal.html"
    logged_as = TASKS.name

    @cached_property
    def subtitle(self) -> list[ShownDetail]:
        return []

    @cached_property
    def entered(self) -> dict[str, dict[int, Record]]:
        """Return the tasks and documents created for the deal that can be read, by resource
        and id.
        """
        created = self.history.created
        ids = {
            each: [one.id for one in created if one.resource == each.name][:MAX_READ]
            for each in (TASKS, *DOCUMENTS)
        }
        gateway = self.ctx.gateway
        return {each.name: lookups.read_records(gateway, each.endpoint, ids[each]) for each in ids}

    @cached_property
    def steps(self) -> list[Step]:
        return stage_progress(self.ctx, self.record, self.history.own)

    def own_figures(self) -> list[Figure]:
        """Return the declared figures, also empty ones, each with a link that fills it."""
        facts = {each.name: each for each in super().own_figures()}
        closes = self.record[CLOSES]
        if isinstance(closes, date):
            note = days_until((closes - timezone.localdate()).days)
            facts[CLOSES] = facts[CLOSES]._replace(note=note)
        for name in {OWNER, STAGE} & facts.keys():
            facts[name] = facts[name]._replace(is_word=True)
        return [facts.get(each.name) or self._missing(each) for each in self.resource.headline]

    def _missing(self, detail: Detail) -> Figure:
        url = self.field_urls.get(detail.name, "")
        label = f"Add {detail.label.lower()}"
        value = values.link(url, label) if url else values.muted("none")
        return Figure(detail.label, value, is_word=True)

    @property
    def company(self) -> DisplayValue:
        return cells.pointer(CONTACTS, COMPANY)(self.record, self.ctx, self.names)

    @property
    def log_params(self) -> dict[str, str]:
        return {"deal": str(self.record_id)}

    @property
    def log_titles(self) -> tuple[str, str]:
        contact = self.record.get(PERSON) or self.record[COMPANY]
        person = self.names.titles.get((CONTACTS.name, contact), "")
        return f"Call with {person}" if person else "Call", "Note"


@page
def show_deal(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    return DealPage(ctx, resource, record_id).render()


@require_POST
@page
def move_deal(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    if not ctx.gateway.accepts_field(resource.endpoint, STAGE):
        raise NotOffered
    to = ctx.request.POST.get("to", "")
    stage = next((each for each in stages(ctx) if each.code == to), None)
    number = whole_number(to)
    if stage is None or number is None:
        raise BadRequest("Choose one of the known stages.")
    return FieldUpdate(
        ctx=ctx,
        resource=resource,
        record_id=record_id,
        field=STAGE,
        value=number,
        state=f"moved to {stage.name}",
        page="stage",
        fallback_url=resource.url(record_id),
        is_checked=True,
    ).apply()
