"""The page of a deal: how far it has come, what is to be done next, and what was done for it."""

from datetime import date
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from dashboard.accounts.permissions import EDIT_RECORDS
from dashboard.catalogue import services as catalogue
from dashboard.catalogue.kinds import Kind
from dashboard.context import RequestContext, page
from dashboard.declare.resource import Resource
from dashboard.display import cells, titles
from dashboard.display.cells import Names
from dashboard.forms.record_form import posted_fields
from dashboard.gateway import CONTACTS, NotOffered, Record, whole_number
from dashboard.ledger.services import new_token
from dashboard.markup import address
from dashboard.pages.blocks import Figure
from dashboard.pages.form_drafts import new_mark
from dashboard.pages.history_words import TimelineEntry, history_around
from dashboard.pages.rendering import default_figures, field_urls, render_record
from dashboard.reader import lookups
from dashboard.resources.tasks import COMPLETED, TASKS
from dashboard.text.dates import days_until, write_datetime

from . import deal_records, one_press
from .customer import customer_of
from .one_press import Press
from .stages import STAGE, stages, way_of

CLOSES = "deal_expected_close_date"
COMPANY, PERSON, OWNER = "cstid", "deal_contact_id", "deal_owner_id"


@page
def show(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """A deal with what was entered for it."""
    record = lookups.read_for_page(
        ctx.gateway, resource.endpoint, record_id, after_save=ctx.follows_a_save
    )
    around, today = history_around(ctx, resource, record), timezone.localdate()
    entered = deal_records.read(ctx.gateway, around.created)
    documents = deal_records.documents(ctx, record, around.created, entered, today)
    names = titles.names_around(ctx, resource.details, [record])
    steps = way_of(ctx, record, around.own)
    figures = _figures(resource, record, ctx, is_stage_shown=not steps)
    if documents.invoiced:
        figures.append(documents.invoiced)
    return render_record(
        ctx,
        resource,
        record,
        names,
        template="resources/deals/detail.html",
        around=around,
        timeline=[_with_words(each) for each in around.timeline],
        figures=figures,
        subtitle=[],
        steps=steps,
        company=cells.pointer(CONTACTS, COMPANY)(record, ctx, names),
        customer=customer_of(record, names, "Customer", {COMPANY: "Company", PERSON: "Person"}),
        log=_log(ctx, names, resource, record),
        no_tasks=TASKS.name in ctx.closed_areas,
        next_step=deal_records.next_step(ctx, entered, today, resource.url(record_id)),
        documents=documents,
    )


@require_POST
@page
def move(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Bring a deal to the stage in the field "to"."""
    if not ctx.gateway.takes(resource.endpoint, STAGE):
        raise NotOffered
    to = ctx.request.POST.get("to", "")
    stage = next((each for each in stages(ctx) if each.code == to), None)
    number = whole_number(to)
    if stage is None or number is None:
        raise BadRequest("A deal is moved to a stage that is known.")
    words = f"is in {stage.name} now"
    press = Press(STAGE, number, words, "stage", resource.url(record_id), is_checked=True)
    return one_press.carry_out(ctx, resource, record_id, press)


def _figures(
    resource: Resource, record: Record, ctx: RequestContext, *, is_stage_shown: bool
) -> list[Figure]:
    """Amount, expected close with the days until then, and owner; the stage where it has no way."""
    figures = {each.name: each for each in default_figures(resource, record, ctx)}
    figures.pop(COMPANY, None)
    stage = figures.pop(STAGE, None)
    if CLOSES in figures:
        figures[CLOSES] = _with_days(figures[CLOSES], record[CLOSES])
    owner = resource.detail(OWNER)
    if shown := owner.value(record, ctx):
        url = field_urls(resource, record, ctx).get(OWNER, "")
        figures[OWNER] = Figure(owner.label, shown, name=OWNER, field_url=url)
    if stage and is_stage_shown:
        pipeline = catalogue.entry(ctx.workspace, Kind.PIPELINE, str(record["pipeline_id"]))
        figures[STAGE] = stage._replace(note=pipeline.name if pipeline else "")
    return list(figures.values())


def _with_days(figure: Figure, closes: object) -> Figure:
    if not isinstance(closes, date):
        return figure
    return figure._replace(note=days_until((closes - timezone.localdate()).days))


def _with_words(entry: TimelineEntry) -> TimelineEntry:
    """A task that was done when it was entered as what it was: a call or a note, with its words."""
    if entry.resource != TASKS.name or entry.new.get("status") != str(COMPLETED):
        return entry
    return entry._replace(words=entry.new.get("title", ""), text=entry.new.get("description", ""))


def _log(
    ctx: RequestContext, names: Names, resource: Resource, record: Record
) -> dict[str, Any] | None:
    """The form that notes a call or what was agreed, as a task that is done: where it is sent, its
    hidden fields, the titles that are offered, and the moment at first.
    """
    if not ctx.may(EDIT_RECORDS) or TASKS.name in ctx.closed_areas:
        return None
    begins = {"deal": str(record.id), "done": "now"}
    form = TASKS.create_form(initial=TASKS.create_form.linked_to(begins, ctx))
    moment = form.initial.pop("start_datetime")
    back = resource.url(record.id)
    url = address(TASKS.name, page="create", query={**begins, "back": back})
    mark = new_mark(ctx, "New task", address=url).signed()
    lists = posted_fields(form).lists()
    fields = [(name, text) for name, texts in lists if name not in SHOWN for text in texts]
    person = names.titles.get((CONTACTS.name, record.get(PERSON) or record[COMPANY]), "")
    call = f"Call with {person}" if person else "Call"
    hidden = [("token", new_token()), ("draft", mark), *fields]
    offered = [("Call", call), ("Note", "Note")]
    return {"url": url, "fields": hidden, "titles": offered, "moment": write_datetime(moment)}


SHOWN = ("title", "description", "start_datetime")  # fields of the task's form
