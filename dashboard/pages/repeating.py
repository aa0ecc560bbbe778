"""Records that a person makes again in a rhythm: the page that says how one does, the page of all,
and the rows of those whose day has come. Nothing is sent by itself.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from dashboard import write_status
from dashboard.context import RequestContext, page
from dashboard.declare.resource import Resource, RowAction
from dashboard.display import values
from dashboard.forms.inputs import DayField
from dashboard.gateway import Missing, Record, whole_number
from dashboard.markup import address, page_url
from dashboard.pages import repeat_marks
from dashboard.pages.blocks import Block, BlockRow
from dashboard.pages.initial_values import COPY, REPEAT, repeat_day
from dashboard.pages.rendering import record_context
from dashboard.preferences import repeats
from dashboard.preferences.models import Repeat
from dashboard.preferences.repeats import Plan
from dashboard.service_name import SERVICE
from dashboard.text import rhythm
from dashboard.text.dates import day, format_date, late_by
from dashboard.text.rhythm import MONTHLY, WORDS

FURTHEST = timedelta(days=3660)  # from today, of a day
TOO_MANY = f"You have {repeats.MOST} repeats already. End one first."
EVERY = "repeats:list"  # the page of all
Resources = Mapping[str, Resource]


class RepeatForm(forms.Form):
    """How a record repeats. `begins_on`: the day of the record, or that of the repeat which is
    changed; `now`: the next day of that, None for a new one.
    """

    use_required_attribute = False

    rhythm = forms.ChoiceField(label="Repeat", choices=WORDS, initial=MONTHLY)
    next_on = DayField(label="Next on", required=False, looks_ahead=True)
    until = DayField(
        label="Until", required=False, looks_ahead=True, help_text="Leave it empty for no end."
    )

    def __init__(
        self, data: Any, *, ctx: RequestContext, begins_on: date, now: date | None, **kwargs: Any
    ) -> None:
        super().__init__(data, **kwargs)
        self.begins_on, self.now, self.today = begins_on, now, timezone.localdate()
        for name in ("next_on", "until"):
            self.fields[name].use_style(ctx.style)  # type: ignore[attr-defined]
        counted = f"Leave it empty to count from {format_date(begins_on)}."
        self.fields["next_on"].help_text = counted

    def clean_next_on(self) -> date | None:
        """Within ten years from today, unless it stays as it is."""
        typed: date | None = self.cleaned_data["next_on"]
        if typed and typed != self.now and typed < self.today:
            raise ValidationError("This day is over. Choose today or a later day.")
        return self._checked(typed)

    def clean_until(self) -> date | None:
        """Likewise."""
        return self._checked(self.cleaned_data["until"])

    def clean(self) -> dict[str, Any]:
        """Refuse an end before the next day."""
        data = super().clean() or {}
        if not self.errors and data["until"] and data["until"] < (plan := self.plan()).next_on:
            self.add_error("until", f"The next day is later, on {format_date(plan.next_on)}.")
        return data

    def plan(self) -> Plan:
        """What was typed, of a valid form: the day of the month that it is counted from is kept
        where the next day is one of those.
        """
        typed = self.cleaned_data
        kind, until = typed["rhythm"], typed["until"]
        after = max(self.begins_on, self.today - timedelta(1))
        next_on = typed["next_on"] or rhythm.next_after(self.begins_on, kind, after)
        falls = rhythm.falls_on(self.begins_on, kind, next_on)
        return Plan(kind, self.begins_on if falls else next_on, next_on, until)

    def _checked(self, typed: date | None) -> date | None:
        if typed and typed > self.today + FURTHEST:
            raise ValidationError("Choose a day within ten years.")
        return typed


@page
def change_repeat(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """How a record repeats; or skip its next day, or end it."""
    known = repeats.find(ctx.user.pk, ctx.workspace, resource.name, record_id)
    posted = ctx.request.POST
    if "do" in posted:
        return _carry_out(ctx, resource, known, posted["do"]) if known else redirect(EVERY)
    try:
        record: Record | None = resource.read(ctx.gateway, record_id)
    except Missing:
        if known is None:
            raise
        record = None
        repeats.note_gone(ctx.user.pk, ctx.workspace, resource.name, record_id)
    form = RepeatForm(
        posted or None,
        ctx=ctx,
        begins_on=known.begins_on if known else _day_of(resource, record),
        now=known.next_on if known else None,
        initial=_initial(known) if known else {},
    )
    if record and ctx.request.method == "POST" and form.is_valid():
        try:
            return _save(ctx, resource, record, form.plan())
        except repeats.TooMany:
            form.add_error(None, TOO_MANY)
    return _render(ctx, resource, record_id, record, known, form)


def _save(ctx: RequestContext, resource: Resource, record: Record, plan: Plan) -> HttpResponse:
    """Store it and go back to the record. Raises repeats.TooMany."""
    repeats.store(
        ctx.user.pk,
        ctx.workspace,
        resource.name,
        record.id,
        plan,
        title=resource.title(record),
        about=repeat_marks.about(repeat_marks.with_names(ctx, resource, record), resource, record),
    )
    words = f"{WORDS[plan.rhythm]}, next on {format_date(plan.next_on)}"
    messages.success(ctx.request, f"{words}. It is on Today then, and nothing is sent by itself.")
    return redirect(resource.url(record.id))


def _carry_out(
    ctx: RequestContext, resource: Resource, known: Repeat, pressed: str
) -> HttpResponse:
    """Skip the day that the page has shown, with all that were missed or alone, or end it."""
    title = repeats.title_of(known)[0] or resource.singular
    if pressed == "end":
        repeats.end(known)
        messages.success(ctx.request, f"{title} does not repeat any more.")
    elif ctx.request.POST.get("day") == known.next_on.isoformat():
        today = timezone.localdate()
        after = max(known.next_on, today) if pressed == "skip-all" else known.next_on
        day = repeats.move_on(known, after)
        words = f"Next on {format_date(day)}" if day else "That was the last one"
        messages.success(ctx.request, f"{title}: skipped. {words}.")
    return redirect(EVERY)


def _day_of(resource: Resource, record: Record | None) -> date:
    """The day that a rhythm is counted from: that of the record, today where it has none."""
    found, today = record.get(resource.repeats[0]) if record else None, timezone.localdate()
    if isinstance(found, datetime):
        found = found.date()
    is_near = isinstance(found, date) and abs(found - today) <= FURTHEST
    return found if is_near and isinstance(found, date) else today


def _initial(known: Repeat) -> dict[str, Any]:
    return {"rhythm": known.rhythm, "next_on": known.next_on, "until": known.until}


def _render(
    ctx: RequestContext,
    resource: Resource,
    record_id: int,
    record: Record | None,
    known: Repeat | None,
    form: RepeatForm,
) -> HttpResponse:
    title = resource.title(record) if record else (repeats.title_of(known)[0] if known else "")
    today = timezone.localdate()
    context = {
        **record_context(ctx, resource, record_id),
        "title": f"Repeat {title}",
        "name": title,
        "form": form,
        "is_gone": record is None,
        "known": known,
        "day": known.next_on.isoformat() if known else "",
        "next_words": day(known.next_on, today) if known else "",
        "is_due": known is not None and known.next_on <= today,
        "missed": repeats.missed(known, today) if known else 0,
        "form_url": _form_url(resource, known) if known else "",
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return ctx.render("pages/repeat.html", context, status=status)


@page
def list_repeats(ctx: RequestContext, resources: Resources) -> HttpResponse:
    """All that a person makes again in this workspace, the next one first."""
    found, today = repeats.of_person(ctx.user.pk, ctx.workspace), timezone.localdate()
    rows = [_row(each, resources, today) for each in found if each.resource in resources]
    block = Block(
        "repeats",
        "What comes again",
        count=f"{len(rows):,}" if rows else "",
        amount_label="Repeats",
        heads=("Record", "About", "Next", "Repeats"),
        rows=tuple(rows),
        empty="Nothing repeats yet. Press “a” on a record that can, or choose Repeat in its menu.",
    )
    return ctx.render("pages/repeats.html", {"title": "Repeats", "block": block, "may_edit": True})


def due_block(ctx: RequestContext, resources: Resources, today: date) -> Block:
    """What is to be made again today, or was on a day before, each once. One statement."""
    found = repeats.due(ctx.user.pk, ctx.workspace, today)
    rows = [_due_row(each, resources, today) for each in found if each.resource in resources]
    return Block(
        "repeats",
        "Due again",
        page_url(EVERY),
        count=f"{len(rows):,}" if rows else "",
        rows=tuple(rows),
    )


def _row(repeat: Repeat, resources: Resources, today: date) -> BlockRow:
    resource = resources[repeat.resource]
    title, about = repeats.title_of(repeat)
    until = f" until {format_date(repeat.until)}" if repeat.until else ""
    is_due = repeat.next_on <= today
    form = RowAction("Open", "o", _form_url(resource, repeat))
    return BlockRow(
        values.link(resource.url(repeat.record_id, "repeat"), _named(resource, repeat, title)),
        values.text(about),
        day(repeat.next_on, today),
        late=repeat.next_on < today,
        amount=f"{WORDS[repeat.rhythm].lower()}{until}",
        note=_gone(resource, repeat),
        actions=(form,) if is_due and not repeat.is_gone else (),
    )


def _due_row(repeat: Repeat, resources: Resources, today: date) -> BlockRow:
    """The row on Today: its name opens the form that is filled in."""
    resource = resources[repeat.resource]
    title, about = repeats.title_of(repeat)
    late, change = (today - repeat.next_on).days, resource.url(repeat.record_id, "repeat")
    more = repeats.missed(repeat, today)
    return BlockRow(
        values.link(
            change if repeat.is_gone else _form_url(resource, repeat),
            _named(resource, repeat, title),
        ),
        values.text(about),
        f"{day(repeat.next_on, today)}, {late_by(late)}" if late else "today",
        late=late > 0,
        note=_gone(resource, repeat) or (f"and {more:,} later" if more else ""),
        actions=(RowAction("Skip or change", "a", change),),
    )


def _named(resource: Resource, repeat: Repeat, title: str) -> str:
    """The title with the kind of record before it, unless it says that."""
    kind = resource.singular.capitalize()
    if not title:
        return f"{kind} {repeat.record_id}"
    return title if title.lower().startswith(resource.singular) else f"{kind} {title}"


def _gone(resource: Resource, repeat: Repeat) -> str:
    """What stands with one whose record could not be found any more; "" for others."""
    return f"its {resource.singular} is not in {SERVICE} any more" if repeat.is_gone else ""


def _form_url(resource: Resource, repeat: Repeat) -> str:
    """The form of the next one, filled in."""
    query = {COPY: str(repeat.record_id), REPEAT: repeat.next_on.isoformat()}
    return address(resource.name, page="create", query=query)


def is_filled(ctx: RequestContext) -> bool:
    """Whether the form of the address is that of a record which is made again."""
    return repeat_day(ctx) is not None


def note_sent(ctx: RequestContext, resource: Resource, token: str) -> None:
    """Note what sends the next one of a record that repeats, so that it counts as made once that is
    saved, also if that turns out later.
    """
    day, record = repeat_day(ctx), whole_number(ctx.form_input.params.get(COPY, ""))
    if day is None or record is None or not token:
        return
    repeats.note_sent(ctx.user.pk, ctx.workspace, resource.name, record, day=day, token=token)


def note_saved(ctx: RequestContext, token: str) -> None:
    """Go on to the next day of what was sent with this token."""
    if is_filled(ctx):
        write_status.attempt(repeats.note_saved, person=ctx.user.pk, token=token)
