"""The pages of repeating records. Nothing is sent automatically."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from http import HTTPStatus
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.utils import timezone

from dashboard.core import after_response
from dashboard.core.templates import address, page_url
from dashboard.gateway import Endpoint, Missing, Record, whole_number
from dashboard.office import repeats
from dashboard.office.models import Repeat
from dashboard.people.context import RequestContext, page
from dashboard.people.permissions import EDIT_RECORDS, permission_required
from dashboard.reader import find
from dashboard.records.form_drafts import form_input
from dashboard.records.initial_values import COPY, REPEAT, repeat_day
from dashboard.records.panels import TOP, Panel, PanelRow, gather, name_records
from dashboard.records.record_page import record_context
from dashboard.schema import cells, values
from dashboard.schema.inputs import DayField
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.schema.values import RowAction
from dashboard.text import recurrence
from dashboard.text.dates import format_date, late_by, relative_day
from dashboard.text.recurrence import FREQUENCY_LABELS, MONTHLY
from dashboard.writes.sidebar import sidebar_of

FURTHEST = timedelta(days=3660)  # from today, of a day
LIST_URL_NAME = "repeats:list"  # the page of all


class RepeatForm(forms.Form):
    """How a record repeats. `begins_on`: the first day, from which the others are counted."""

    use_required_attribute = False

    frequency = forms.ChoiceField(label="Repeat", choices=FREQUENCY_LABELS, initial=MONTHLY)
    next_on = DayField(label="Next on", required=False, looks_ahead=True)

    def __init__(self, data: Any, *, ctx: RequestContext, begins_on: date, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.begins_on, self.today = begins_on, timezone.localdate()
        field = cast(DayField, self.fields["next_on"])
        field.bind(ctx)
        field.help_text = f"Leave blank to count from {format_date(begins_on)}."

    def clean_next_on(self) -> date | None:
        """Accept the next ten years, or the present value."""
        typed: date | None = self.cleaned_data["next_on"]
        is_near = typed and self.today <= typed <= self.today + FURTHEST
        if typed and not is_near and typed != self.initial.get("next_on"):
            raise ValidationError("Choose today or a later date, within 10 years.")
        return typed

    def days(self) -> dict[str, Any]:
        """Return the dates for a Repeat. The first day is kept if the next day follows from it."""
        kind, begins = self.cleaned_data["frequency"], self.begins_on
        after = max(begins, self.today - timedelta(1))
        next_on = self.cleaned_data["next_on"] or recurrence.next_after(begins, kind, after)
        falls = recurrence.falls_on(begins, kind, next_on)
        return {"frequency": kind, "begins_on": begins if falls else next_on, "next_on": next_on}


@page
def change_repeat(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Change how a record repeats, skip its next day, or end it."""
    place = (ctx.user.pk, ctx.workspace, resource.name, record_id)
    known, pressed = repeats.find_repeat(*place), ctx.request.POST.get("do", "")
    if known and pressed:
        _carry_out(ctx, known, pressed)
    if pressed:
        return redirect(LIST_URL_NAME)
    try:
        record = resource.read(ctx.gateway, record_id)
        title = resource.title(record)
        begins_on = known.begins_on if known else _day_of(resource, record)
    except Missing:
        if known is None:
            raise
        title, begins_on = _title(ctx, known), known.begins_on  # to end it
    initial = {"frequency": known.frequency, "next_on": known.next_on} if known else {}
    form = RepeatForm(ctx.request.POST or None, ctx=ctx, begins_on=begins_on, initial=initial)
    if form.is_valid():
        days = form.days()
        repeats.store(*place, days)
        words = f"{FREQUENCY_LABELS[days['frequency']]}, next on {format_date(days['next_on'])}"
        then = "A copy appears on Today then. Nothing is sent until you save it."
        messages.success(ctx.request, f"{title}: {words[0].lower()}{words[1:]}. {then}")
        return redirect(resource.url(record_id))
    context = record_context(resource, record_id) | {"name": title, "form": form}
    if known:
        today = timezone.localdate()
        url = _form_url(resource, known) if known.next_on <= today else ""
        context |= {"known": known, "due": _due_text(known, today), "form_url": url}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return ctx.render("records/repeat.html", context | {"title": f"Repeat {title}"}, status=status)


def _title(ctx: RequestContext, repeat: Repeat) -> str:
    return find.read_title(ctx.gateway, *_pointer(repeat))


def _pointer(repeat: Repeat) -> tuple[Endpoint, int]:
    return RESOURCES[repeat.resource].endpoint, repeat.record_id


def _carry_out(ctx: RequestContext, known: Repeat, pressed: str) -> None:
    if pressed == "end":
        known.delete()
        messages.success(ctx.request, f"{_title(ctx, known)} no longer repeats.")
    elif ctx.request.POST.get("day") == known.next_on.isoformat():
        repeats.move_on(repeat=known, day=known.next_on)
        words = f"{_title(ctx, known)} of {format_date(known.next_on)} was skipped."
        messages.success(ctx.request, words)


def _day_of(resource: Resource, record: Record) -> date:
    """Return the record's own date as the first day; today if it has none or is far from it."""
    found, today = record.get(resource.repeats[0]), timezone.localdate()
    if isinstance(found, datetime):
        found = found.date()
    return found if isinstance(found, date) and abs(found - today) <= FURTHEST else today


@page
def list_repeats(ctx: RequestContext) -> HttpResponse:
    """List the person's repeats in this workspace, the next one first."""
    panels = gather([Repeats], ctx)
    late = name_records(ctx, panels).late_url
    context = {"title": "Recurring", "panels": panels, "may_edit": True, "late": late}
    return ctx.render("records/repeats.html", context)


class Repeats(Panel):
    """The panel of all repeats."""

    name, title = "repeats", "Recurring"
    amount_label = "Repeats"
    heads: tuple[str, ...] = ("Record", "About", "Next", "Repeats")

    def find(self) -> Iterable[Repeat]:
        own_repeats = repeats.of_person(self.ctx.user.pk, self.ctx.workspace)
        return own_repeats.filter(resource__in=RESOURCES)

    def build(self) -> None:
        self.shown = list(self.find())
        self.pointers = list(map(_pointer, self.shown))

    def row(self, repeat: Repeat) -> PanelRow:
        resource, today = RESOURCES[repeat.resource], timezone.localdate()
        name = cells.titled(*_pointer(repeat), self.names)
        return PanelRow(
            name._replace(url=resource.url(repeat.record_id, "repeat")),
            values.text(resource.singular.capitalize()),
            _due_text(repeat, today),
            late=repeat.next_on < today,
            amount=FREQUENCY_LABELS[repeat.frequency].lower(),
        )


class DueRepeats(Repeats):
    """The repeats that are due today or overdue, with links to the filled form."""

    title, side = "Due again", TOP
    amount_label, heads = "", ()

    @property
    def url(self) -> str:
        return page_url(LIST_URL_NAME)

    @property
    def is_hidden(self) -> bool:
        return not self.shown

    def find(self) -> Iterable[Repeat]:
        if not self.ctx.may(EDIT_RECORDS) or not sidebar_of(self.ctx.request).again:
            return []
        today = timezone.localdate()
        return [each for each in super().find() if each.next_on <= today]

    def row(self, repeat: Repeat) -> PanelRow:
        row, url = super().row(repeat), _form_url(RESOURCES[repeat.resource], repeat)
        actions = (RowAction("Skip or change", "a", row.name.url),)
        return row._replace(name=row.name._replace(url=url), amount="", actions=actions)


def _due_text(repeat: Repeat, today: date) -> str:
    when, late = relative_day(repeat.next_on, today), (today - repeat.next_on).days
    return f"{when}, {late_by(late)}" if late > 0 else when


def _form_url(resource: Resource, repeat: Repeat) -> str:
    query = {COPY: str(repeat.record_id), REPEAT: repeat.next_on.isoformat()}
    return address(resource.name, page="create", query=query)


def note_made(ctx: RequestContext, resource: Resource) -> None:
    """Advance the repeat whose record was created with this URL's form to its next day."""
    made, record_id = repeat_day(ctx), whole_number(form_input(ctx).params.get(COPY, "")) or 0
    if made:
        place = (ctx.user.pk, ctx.workspace, resource.name, record_id)
        after_response.run_best_effort(repeats.note_made, place=place, day=made)


app_name = "repeats"
urlpatterns = [path("", permission_required(EDIT_RECORDS)(list_repeats), name="list")]
