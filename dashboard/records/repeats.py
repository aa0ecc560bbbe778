"""The pages of repeating records. Nothing is sent automatically."""

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
from dashboard.core.templates import address
from dashboard.gateway import Missing, Record, whole_number
from dashboard.office import repeats
from dashboard.office.models import Repeat
from dashboard.people.context import RequestContext, page
from dashboard.people.permissions import EDIT_RECORDS, permission_required
from dashboard.records.form_drafts import form_input
from dashboard.records.initial_values import COPY, REPEAT, repeat_day
from dashboard.records.panels import Panel, PanelRow
from dashboard.records.record_page import record_context
from dashboard.schema import titles, values
from dashboard.schema.inputs import DayField
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource, RowAction
from dashboard.text import recurrence
from dashboard.text.dates import format_date, late_by, relative_day
from dashboard.text.recurrence import FREQUENCY_LABELS, MONTHLY

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
        field.help_text = f"Leave it empty to count from {format_date(begins_on)}."

    def clean_next_on(self) -> date | None:
        """Accept the next ten years, or the present value."""
        typed: date | None = self.cleaned_data["next_on"]
        is_near = typed and self.today <= typed <= self.today + FURTHEST
        if typed and not is_near and typed != self.initial.get("next_on"):
            raise ValidationError("Choose today or a later date within ten years.")
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
    if pressed:
        _carry_out(ctx, known, pressed)
        return redirect(LIST_URL_NAME)
    try:
        record = resource.read(ctx.gateway, record_id)
        title, about = _named(ctx, resource, record)
        begins_on = known.begins_on if known else _day_of(resource, record)
    except Missing:
        if known is None:
            raise
        (title, about), begins_on = repeats.title_of(known), known.begins_on  # to end it
    initial = {"frequency": known.frequency, "next_on": known.next_on} if known else {}
    form = RepeatForm(ctx.request.POST or None, ctx=ctx, begins_on=begins_on, initial=initial)
    if form.is_valid():
        days = form.days()
        repeats.store(*place, days, title=title, about=about)
        words = f"{FREQUENCY_LABELS[days['frequency']]}, next on {format_date(days['next_on'])}"
        messages.success(ctx.request, f"{words}. It is on Today then. Nothing is sent by itself.")
        return redirect(resource.url(record_id))
    context = record_context(ctx, resource, record_id) | {"name": title, "form": form}
    if known:
        today = timezone.localdate()
        url = _form_url(resource, known) if known.next_on <= today else ""
        context |= {"known": known, "row": _row(known, resource, today), "form_url": url}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return ctx.render("records/repeat.html", context | {"title": f"Repeat {title}"}, status=status)


def _carry_out(ctx: RequestContext, known: Repeat | None, pressed: str) -> None:
    """Skip the displayed day, or end the repeat."""
    if known and pressed == "end":
        known.delete()
        messages.success(ctx.request, f"{repeats.title_of(known)[0]} does not repeat any more.")
    elif known and ctx.request.POST.get("day") == known.next_on.isoformat():
        repeats.move_on(repeat=known, day=known.next_on)
        messages.success(ctx.request, f"{repeats.title_of(known)[0]}: skipped.")


def _named(ctx: RequestContext, resource: Resource, record: Record) -> tuple[str, str]:
    """Return the title of a record and its subject, such as its customer."""
    pointing = [part for part in resource.details if part.points_to]
    names = titles.names_around(ctx, pointing, [record], seconds=titles.LATE_WAIT)
    words = (part.value(record, ctx, names).words for part in pointing)
    return resource.title(record), next(filter(None, words), "")


def _day_of(resource: Resource, record: Record) -> date:
    """Return the record's own date as the first day; today if it has none or is far from it."""
    found, today = record.get(resource.repeats[0]), timezone.localdate()
    if isinstance(found, datetime):
        found = found.date()
    return found if isinstance(found, date) and abs(found - today) <= FURTHEST else today


@page
def list_repeats(ctx: RequestContext) -> HttpResponse:
    """List the person's repeats in this workspace, the next one first."""
    found = repeats.of_person(ctx.user.pk, ctx.workspace).filter(resource__in=RESOURCES)
    panel = Repeats(ctx)
    panel.shown = [_row(each, RESOURCES[each.resource], timezone.localdate()) for each in found]
    return ctx.render(
        "records/repeats.html", {"title": "Repeats", "panel": panel, "may_edit": True}
    )


class Repeats(Panel):
    """The panel of all repeats."""

    name, title = "repeats", "What comes again"
    amount_label = "Repeats"
    heads = ("Record", "About", "Next", "Repeats")
    empty = "Nothing repeats yet. Press “a” on a record that can, or choose Repeat in its menu."


def due_rows(ctx: RequestContext) -> list[PanelRow]:
    """Return the repeats due today or overdue, with links to the filled form. One query."""
    today = timezone.localdate()
    rows, found = [], repeats.of_person(ctx.user.pk, ctx.workspace).filter(resource__in=RESOURCES)
    for each in found.filter(next_on__lte=today):
        resource = RESOURCES[each.resource]
        row, change = _row(each, resource, today), resource.url(each.record_id, "repeat")
        name = values.link(_form_url(resource, each), row.name.text)
        actions = (RowAction("Skip or change", "a", change),)
        rows.append(row._replace(name=name, amount="", actions=actions))
    return rows


def _row(repeat: Repeat, resource: Resource, today: date) -> PanelRow:
    (title, about), late = repeats.title_of(repeat), (today - repeat.next_on).days
    if not title.lower().startswith(resource.singular):
        title = f"{resource.singular.capitalize()} {title or repeat.record_id}"
    when = relative_day(repeat.next_on, today)
    return PanelRow(
        values.link(resource.url(repeat.record_id, "repeat"), title),
        values.text(about),
        f"{when}, {late_by(late)}" if late > 0 else when,
        late=late > 0,
        amount=FREQUENCY_LABELS[repeat.frequency].lower(),
    )


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
