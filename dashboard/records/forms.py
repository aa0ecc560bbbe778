"""The form pages of a record, and the helpers of every other form page.

A form page is a function that is read from top to bottom: the form is begun, a button inside it was
pressed, it is checked, sent, refused or saved. A failure of the API that belongs on the form is put
there, with everything typed; every other one is turned into a page by the middleware.
"""

from contextlib import AbstractContextManager
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from dashboard.core import after_response
from dashboard.gateway import Created, GatewayError, OutcomeUnknown, Record, Rejected
from dashboard.office import choices as preferences
from dashboard.people.context import RequestContext, page
from dashboard.reader.failures import describe
from dashboard.records import form_drafts, in_place, presence, repeats
from dashboard.records.conflicts import OPENED, render_conflict
from dashboard.records.form_drafts import with_drafts
from dashboard.records.initial_values import initial_values, repeat_day
from dashboard.records.record_page import (
    FIELD,
    page_before,
    record_context,
    record_name,
    render_not_offered,
)
from dashboard.schema.record_form import (
    SAVE,
    RecordForm,
    conflicts,
    open_snapshot,
    posted_fields,
    seal_snapshot,
)
from dashboard.schema.resource import Resource
from dashboard.writes import draft_entries, outcomes, writer
from dashboard.writes.form_input import FILLED, form_input
from dashboard.writes.models import RecordLock
from dashboard.writes.outcomes import SentBefore, StillSending

BACK = "back"  # the parameter with the page that a saved form leads to
TOO_OLD = (
    "This form was open for too long to be sure what you changed. "
    "Please look through it and save again."
)


@with_drafts
@page
def create(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """The page of a new record, linked to another (?contact=17) or copied from one (?copy=17)."""
    initial = {} if form_input(ctx).is_typed else initial_values(ctx, resource)
    form = new_form(ctx, resource, initial)
    if not form.is_bound or is_shown_only(ctx, form):
        return render_form(ctx, resource, form)
    if not form.is_valid():
        return render_form(ctx, resource, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        created = send_new(ctx, resource, form)
    except GatewayError as error:
        return render_failed_save(ctx, resource, form, error)
    announce_created(ctx, resource, form, created)
    return leave_created(ctx, resource, created)


@with_drafts
@page
def edit(
    ctx: RequestContext,
    resource: Resource,
    record_id: int,
    *,
    template: str = "records/form.html",
) -> HttpResponse:
    """The page that changes a record, where the service offers that. Only what was touched is sent,
    and never over somebody else's change. For htmx one field of it (in_place.py).
    """
    if not ctx.gateway.supports(resource.endpoint, "update"):
        return render_not_offered(ctx, resource, record_id, "update")
    in_place.complete_input(ctx, resource, record_id)
    response = _edit(ctx, resource, record_id, template=template)
    return in_place.answer(ctx, resource, record_id, response)


def _edit(
    ctx: RequestContext, resource: Resource, record_id: int, *, template: str
) -> HttpResponse:
    page_context: dict[str, Any] = {"record_id": record_id, "template": template}
    if form_input(ctx).data is None:
        form = opened_form(ctx, resource, read_record(ctx, resource, record_id))
        return render_form(ctx, resource, form, **page_context)
    typed = typed_form(ctx, resource, record_id)
    if typed is None:
        form = outdated_form(ctx, resource, record_id)
        return render_form(ctx, resource, form, status=HTTPStatus.CONFLICT, **page_context)
    if form_input(ctx).has("choose") or is_shown_only(ctx, typed):
        return render_form(ctx, resource, typed, **page_context)
    if not typed.is_valid():
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return render_form(ctx, resource, typed, status=status, **page_context)
    if not typed.touched():
        return leave_untouched(ctx, resource, record_id)
    try:
        return _save(ctx, resource, typed, record_id)
    except GatewayError as error:
        return render_failed_save(ctx, resource, typed, error, **page_context)


def _save(
    ctx: RequestContext, resource: Resource, form: RecordForm, record_id: int
) -> HttpResponse:
    """Send what was touched, unless somebody else changed the same fields meanwhile."""
    with lock_for_form(ctx, resource, form, record_id) as lock:
        if lock:
            fresh = read_record(ctx, resource, record_id)
            if conflict := render_if_conflicting(ctx, resource, form, fresh):
                return conflict
            body = resource.update_body(fresh, form.payload())
            send_changes(ctx, resource, form, record_id, body, fresh=fresh, lock=lock)
    return leave_changed(ctx, resource, record_id)


def new_form(ctx: RequestContext, resource: Resource, initial: dict[str, Any]) -> RecordForm:
    """The form of a new record: unbound as it begins, or with what was typed. One that is sent
    unseen is bound to the fields that its address fills, which are stored as its draft.
    """
    given, kind = form_input(ctx), resource.create_form
    if given.data is None:
        form = kind(ctx=ctx, initial=initial)
        if repeat_day(ctx):
            form.focus(SAVE)
        return form
    if given.has(FILLED):
        data = posted_fields(kind(ctx=ctx, initial=initial))
        data["token"] = given.token
        if given.mark is not None and given.shown_again is None:
            form_drafts.store(given.mark, data)
        ctx.request.form_input = replace(given, data=data, filled=not given.show_only)
    return kind(form_input(ctx).data, ctx=ctx)


def read_record(ctx: RequestContext, resource: Resource, record_id: int) -> Record:
    """The record as it is in the service now. Raises GatewayError."""
    return resource.read(ctx.gateway, record_id, fresh=True)


def opened_form(ctx: RequestContext, resource: Resource, record: Record) -> RecordForm:
    """The form that changes a record, as it begins."""
    kind = resource.edit_form
    form = kind(ctx=ctx, opened_with=kind.read(record, ctx.style))
    if (name := ctx.params.get(FIELD, "")) in form.fields:
        form.focus(name)
    return form


def typed_form(ctx: RequestContext, resource: Resource, record_id: int) -> RecordForm | None:
    """The form that changes a record, with what was typed; None where its snapshot cannot be read
    any more.
    """
    given, of = form_input(ctx), record_name(resource, record_id)
    opened = open_snapshot(given.get("snapshot"), of=of)
    if opened is None:
        return None
    form = resource.edit_form(given.data, ctx=ctx, opened_with=opened)
    form.before_choices = open_snapshot(given.get(OPENED), of=of)
    return form


def outdated_form(ctx: RequestContext, resource: Resource, record_id: int) -> RecordForm:
    """What was typed, with a new snapshot in place of one that cannot be read any more."""
    kind = resource.edit_form
    opened = kind.read(read_record(ctx, resource, record_id), ctx.style)
    form = kind(form_input(ctx).data, ctx=ctx, opened_with=opened)
    form.add_error(None, TOO_OLD)
    return form


def is_shown_only(ctx: RequestContext, form: RecordForm) -> bool:
    """Whether a form is only to be shown as it was typed, without any error."""
    if form_input(ctx).show_only:
        form.leave_unchecked()
    return form_input(ctx).show_only


def send_new(ctx: RequestContext, resource: Resource, form: RecordForm) -> Created:
    """Create the record of a valid form. Raises GatewayError."""
    token = form_input(ctx).token
    try:
        created = writer.create(ctx=ctx, resource=resource, body=form.payload(), token=token)
    except StillSending:
        raise  # the request that sends it goes on, once it knows
    except OutcomeUnknown:
        repeats.note_made(ctx, resource)  # it is looked for under Not sure; Today asks no more
        raise
    repeats.note_made(ctx, resource)
    return created


def lock_for_form(
    ctx: RequestContext, resource: Resource, form: RecordForm, record_id: int
) -> AbstractContextManager[RecordLock | None]:
    """The lock of the record while this form changes it; see writer.lock_for_form."""
    return writer.lock_for_form(
        ctx=ctx,
        resource=resource,
        record_id=record_id,
        token=form_input(ctx).token,
        typed=form.payload(),
    )


def render_if_conflicting(
    ctx: RequestContext, resource: Resource, form: RecordForm, fresh: Record
) -> HttpResponse | None:
    """The page of a form whose touched fields somebody else has changed; None if nobody has."""
    current = resource.edit_form.read(fresh, ctx.style)
    clashes = list(conflicts(form, current))
    if clashes and in_place.asked(ctx, resource):
        return form_drafts.post_whole()
    return render_conflict(ctx, resource, form, clashes, fresh) if clashes else None


def send_changes(
    ctx: RequestContext,
    resource: Resource,
    form: RecordForm,
    record_id: int,
    body: dict[str, Any],
    *,
    fresh: Record,
    lock: RecordLock,
) -> None:
    """Update the record of a valid form with this body. Raises GatewayError."""
    writer.update(
        ctx=ctx,
        resource=resource,
        record_id=record_id,
        body=body,
        token=form_input(ctx).token,
        label=str((form.opened_with or {}).get(resource.title_field) or ""),
        typed=form.payload(),
        fresh=fresh,
        lock=lock,
    )


def announce_created(
    ctx: RequestContext, resource: Resource, form: RecordForm, created: Created
) -> None:
    """Say that the record was created, and remember what was chosen for the person's next form."""
    chosen = {
        f"{resource.name}.{name}": str(form.cleaned_data[name])
        for name in form.remembered
        if form.cleaned_data.get(name)
    }
    message = outcomes.saved(resource.name, "create", created.id, created.label).message
    messages.success(ctx.request, message)
    if chosen:
        after_response.attempt(
            preferences.remember_choices,
            user=ctx.user,
            workspace=ctx.workspace,
            values=chosen,
        )


def leave_created(ctx: RequestContext, resource: Resource, created: Created) -> HttpResponse:
    """A redirect to the new record, to the form of another one, or to the page named by ?back=."""
    form_drafts.drop_if_repeated(ctx)
    if form_input(ctx).has("save_new"):
        return redirect(resource.url(page="create"))
    back = page_before(ctx, form_input(ctx).params.get(BACK, ""))
    return redirect(back or resource.url(created.id))


def leave_changed(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """A redirect to the record that was changed."""
    form_drafts.drop_if_repeated(ctx)
    messages.success(ctx.request, "Your changes were saved.", extra_tags="saved")
    return redirect(resource.url(record_id))


def leave_untouched(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """A redirect to the record of a form that changes nothing."""
    form_drafts.drop_draft(ctx)
    messages.info(ctx.request, "Nothing was changed.")
    return redirect(resource.url(record_id))


def render_form(
    ctx: RequestContext,
    resource: Resource,
    form: RecordForm,
    *,
    record_id: int | None = None,
    status: int = HTTPStatus.OK,
    template: str = "records/form.html",
    label: str = "",
    **more: Any,
) -> HttpResponse:
    """The page of a form with everything typed and the snapshot it opened with.

    `label`: the name of the draft under Unfinished; by default "New ..." or "Edit ...".
    """
    context = {
        **record_context(ctx, resource, record_id),
        "form": form,
        "understood": form.understood(form_input(ctx).params),
        "not_in_plan": resource.name in ctx.closed_areas,
        **more,
    }
    if form.opened_with is not None:
        opened = form.before_choices or form.opened_with
        context["snapshot"] = seal_snapshot(opened, of=record_name(resource, record_id))
        title = str(form.opened_with.get(resource.title_field) or record_name(resource, record_id))
        context["title"] = title
        context["presence"] = presence.join(ctx, record_name(resource, record_id), title)
    if form.is_bound:
        form_drafts.store_changed(ctx, form.data)
    again = form_input(ctx).shown_again
    if again and again.refusal:
        form.show_rejection(again.refusal)
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    usual = f"Edit {context['title']}" if context.get("title") else f"New {resource.singular}"
    is_blank = not (form.is_bound or form.opened_with or ctx.params)
    begun = posted_fields(form) if is_blank else None
    context |= form_drafts.form_context(ctx, label or usual, begun=begun)
    if form.opened_with is not None and (name := in_place.asked(ctx, resource)):
        return in_place.render_field(ctx, form, name, context, status)
    context |= draft_entries.offers(ctx, resource)
    return ctx.render(template, context, status=status)


def render_failed_save(
    ctx: RequestContext,
    resource: Resource,
    form: RecordForm,
    error: GatewayError,
    *,
    record_id: int | None = None,
    **more: Any,
) -> HttpResponse:
    """The form with everything typed and the failure, in its fields or in a banner."""
    if isinstance(error, OutcomeUnknown):
        return redirect(outcomes.url_for_token(form_input(ctx).token))
    if isinstance(error, Rejected) and not isinstance(error, SentBefore):
        form.show_rejection(error)
        form_drafts.drop_if_repeated(ctx)
        more["status"] = HTTPStatus.UNPROCESSABLE_ENTITY
    else:
        more["failure"] = failure = describe(error)
        more["status"] = failure.status
    return render_form(ctx, resource, form, record_id=record_id, **more)
