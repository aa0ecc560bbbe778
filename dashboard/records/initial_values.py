"""Initial values of a new record's form, from its URL."""

from collections.abc import Collection
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import Any

from django.contrib import messages
from django.utils.text import Truncator

from dashboard.gateway import Record, whole_number
from dashboard.office import repeats
from dashboard.people.context import RequestContext
from dashboard.people.keys import owner_of
from dashboard.records.form_drafts import form_input
from dashboard.records.record_page import values_beyond
from dashboard.schema import new_record
from dashboard.schema.record_form import EMPTY
from dashboard.schema.resource import Resource
from dashboard.text.dates import format_date, iso_date
from dashboard.writes import deletions

NO_COPY = "That copy has expired or was made with other keys, so the form is empty."
MAX_LOST, MAX_LOST_TEXT = 10, 60  # values of a message, and characters of each
COPY, REPEAT = "copy", "repeat"  # parameters: the id of the original; the day it is made again for


def initial_values(ctx: RequestContext, resource: Resource) -> dict[str, Any]:
    """Return the defaults, overridden by the linked records or the values of a copy."""
    values = resource.create_form.linked_to(form_input(ctx).params, ctx)
    if original := find_original(ctx, resource):
        report_lost(resource, original, ctx)
        values |= values_of_original(resource, original, ctx)
    return new_record.initial_values(ctx, resource, values)


def report_lost(
    resource: Resource,
    original: Record,
    ctx: RequestContext,
    *,
    made_anew: Collection[str] = (),
    lines: str = "",
) -> None:
    """Add a message about what the form of a copy leaves out. `made_anew`: undeclared values that
    the service computes of the copy. `lines`: why it has no lines.
    """
    carried = {*resource.create_form.read(original, ctx.style), *made_anew}
    lost = [
        f"{line.label}: {Truncator(line.value.words).chars(MAX_LOST_TEXT)}"
        for line in values_beyond(resource, original, ctx, carried)
    ]
    texts = [f"Lines: {lines.rstrip('.')}", *lost] if lines else lost
    if texts:
        rest = f" and {len(texts) - MAX_LOST} more" if len(texts) > MAX_LOST else ""
        messages.warning(ctx.request, f"Not copied: {'; '.join(texts[:MAX_LOST])}{rest}.")


def find_original(ctx: RequestContext, resource: Resource) -> Record | None:
    """Return the record to copy (?copy=17) or the stored copy of a deleted one (?again=3)."""
    if copied := whole_number(form_input(ctx).params.get(COPY, "")):
        return resource.read(ctx.gateway, copied)
    return _find_copy(ctx, resource)


def _find_copy(ctx: RequestContext, resource: Resource) -> Record | None:
    """Return the copy of ?again=3, and add a message; None without one."""
    asked = form_input(ctx).params.get("again", "")
    if not asked:
        return None
    owner = owner_of(ctx.gateway)
    kept = deletions.copies(ctx.user, owner).filter(resource=resource.name)
    number = whole_number(asked)
    deletion = kept.filter(pk=number).first() if number else None
    record = deletions.read_copy(resource, deletion) if deletion else None
    if deletion is None or record is None:
        messages.warning(ctx.request, NO_COPY)
        return None
    messages.info(
        ctx.request,
        f"This is the copy of {deletions.label_of(resource, deletion)}, as it was when it was "
        f"deleted. Saving creates a new {resource.singular} with a new ID. Linked records are not "
        "restored.",
    )
    return record


def repeat_day(ctx: RequestContext) -> date | None:
    """Return the day for which a record is repeated (see `REPEAT`); None for any other form."""
    return iso_date(form_input(ctx).params.get(REPEAT, ""))


def has_own_dates(ctx: RequestContext) -> bool:
    """Return True if the dates of a copy are not those of a new record."""
    return repeat_day(ctx) is not None or "again" in form_input(ctx).params


def values_of_original(resource: Resource, record: Record, ctx: RequestContext) -> dict[str, Any]:
    """Return the values of a copy. For a repeat, all dates move as far as the first."""
    values, day = values_of_copy(resource, record, ctx), repeat_day(ctx)
    if day is None or not resource.repeats:
        return values
    known = repeats.find_repeat(ctx.user.pk, ctx.workspace, resource.name, record.id)
    if known is None or known.next_on != day:  # the form stood in another tab, or among the drafts
        words = f"{resource.title(record)} of {format_date(day)} was already saved or skipped."
        messages.info(ctx.request, f"{words} Saving creates another one.")
    for name in (*resource.repeats, *resource.reset_on_copy):
        values.pop(name, None)
    return {**values, **_moved_dates(resource, record, day)}


def _moved_dates(resource: Resource, record: Record, day: date) -> dict[str, date]:
    first = record.get(resource.repeats[0])
    if not isinstance(first, date):
        return {}
    days = day - (first.date() if isinstance(first, datetime) else first)
    dates = {name: record.get(name) for name in resource.repeats}
    return {name: moved for name, each in dates.items() if (moved := _moved(each, days))}


def _moved(value: object, days: timedelta) -> date | None:
    with suppress(OverflowError):  # beyond the calendar
        return value + days if isinstance(value, date) else None
    return None


def values_of_copy(resource: Resource, record: Record, ctx: RequestContext) -> dict[str, Any]:
    values = resource.create_form.read(record, ctx.style)
    return {name: value for name, value in values.items() if value not in EMPTY}
