"""How a form is shown, checked and saved: one flow for every resource.

A view describes what is special about its form in a `FormFlow` and calls `create_record` or
`edit_record`. A failure of the API that belongs on the form is put there, with everything typed;
every other one is turned into a page by the middleware.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from dashboard import progress
from dashboard.gateway import Created, GatewayError, Record
from dashboard.outbox.models import RecordLock
from dashboard.preferences import services as preferences
from dashboard.records.context import StaffRequest, context_of
from dashboard.records.form_input import FormOutcome, FormResult
from dashboard.records.forms.record_form import RecordForm, conflicts, open_snapshot
from dashboard.records.pages import filled_forms, picker_steps
from dashboard.records.pages.conflicts import OPENED, render_conflict
from dashboard.records.pages.initial_values import initial_values
from dashboard.records.pages.rendering import (
    record_name,
    render_failed_save,
    render_form,
    render_not_offered,
)
from dashboard.records.resource import Resource
from dashboard.records.writes import writer

Answer = HttpResponse | FormResult
TOO_OLD = (
    "This form was open for too long to be sure what you changed. "
    "Please look through it and save again."
)


def no_context(request: StaffRequest, resource: Resource, form: Any) -> dict[str, Any]:
    """The page context of a form that needs none of its own."""
    return {}


def take_picker_step(
    request: StaffRequest, resource: Resource, form: RecordForm
) -> dict[str, Any] | None:
    """Carry out the button of a picker; see FormFlow.take_step."""
    return {} if picker_steps.take_step(form, show_only=request.form_input.show_only) else None


def is_valid(request: StaffRequest, resource: Resource, form: RecordForm) -> bool:
    """Whether the form can be sent; the reasons against it are put on the form."""
    return form.is_valid()


def no_lock(resource: Resource, token: str) -> AbstractContextManager[None]:
    """See FormFlow.lock: nothing is held."""
    return nullcontext()


def announce_created(
    request: StaffRequest, resource: Resource, form: RecordForm, created: Created, lock: object
) -> None:
    """Say that the record was created, and remember what was chosen for the person's next form."""
    chosen = {
        f"{resource.name}.{name}": str(form.cleaned_data[name])
        for name in form.remembered
        if form.cleaned_data.get(name)
    }
    messages.success(request, f"{resource.singular.capitalize()} {created.label} was created.")
    if chosen and form.ctx:
        progress.run(
            preferences.remember_used,
            user=request.user.pk,
            workspace=form.ctx.workspace,
            values=chosen,
        )


def read_record(request: StaffRequest, resource: Resource, record_id: int) -> Record:
    """The record as it is in the service now."""
    return request.gateway.get(resource.endpoint, record_id)


def always_readable(resource: Resource, record: Record) -> str:
    """See FormFlow.why_closed: no record of this kind is closed to editing."""
    return ""


def no_closed_page(
    request: StaffRequest, resource: Resource, record: Record, why: str
) -> HttpResponse:
    """See FormFlow.render_closed; never called where `why_closed` is always ""."""
    raise NotImplementedError(why)


@dataclass(frozen=True, kw_only=True)
class FormFlow:
    """What differs between the forms of the resources.

    initial: the values of a new form. context: what its page needs besides the usual.
    take_step: carries out the pressed button of an unfinished form; returns what the page then
    needs, None if no such button was pressed.
    check: whether the form can be sent. lock: holds what must not be written by another form while
    this one creates its record, given the resource and the token. after_create: messages, and what
    is remembered or done next; called with the held lock, if any.
    read: the record as it is now. why_closed: why it cannot be edited, "" if it can;
    render_closed: the page that says so. body: the update's body, from the record as it is now and
    the typed fields.
    """

    template: str = "records/form.html"
    label: str = ""
    initial: Callable[[StaffRequest, Resource], Mapping[str, Any]] = initial_values
    context: Callable[[StaffRequest, Resource, Any], dict[str, Any]] = no_context
    take_step: Callable[[StaffRequest, Resource, Any], dict[str, Any] | None] = take_picker_step
    check: Callable[[StaffRequest, Resource, Any], bool] = is_valid
    lock: Callable[[Resource, str], AbstractContextManager[RecordLock | None]] = no_lock
    after_create: Callable[[StaffRequest, Resource, Any, Created, RecordLock | None], None] = (
        announce_created
    )
    read: Callable[[StaffRequest, Resource, int], Record] = read_record
    why_closed: Callable[[Resource, Record], str] = always_readable
    render_closed: Callable[[StaffRequest, Resource, Record, str], HttpResponse] = no_closed_page
    body: Callable[[Resource, Record, dict[str, Any]], dict[str, Any]] = writer.changed_fields


RECORD_FLOW = FormFlow()


def create(request: StaffRequest, resource: Resource) -> Answer:
    """The page of a new record, linked to another (?contact=17) or copied from one (?copy=17)."""
    return create_record(request, resource, RECORD_FLOW)


def edit(request: StaffRequest, resource: Resource, record_id: int) -> Answer:
    """The page that changes a record, where the service offers that."""
    if not request.gateway.offers(resource.endpoint, "update"):
        return render_not_offered(request, resource, record_id, "update")
    return edit_record(request, resource, record_id, RECORD_FLOW)


def create_record(request: StaffRequest, resource: Resource, flow: FormFlow) -> Answer:
    """Show the form of a new record, or check and save it."""
    given, ctx, kind = request.form_input, context_of(request), resource.create_form
    if given.data is None:
        form = kind(ctx=ctx, initial=flow.initial(request, resource))
        return _show(request, resource, form, flow)
    if given.has(filled_forms.FILLED):
        given = filled_forms.fill(request, kind(ctx=ctx, initial=flow.initial(request, resource)))
    form = kind(given.data, ctx=ctx)
    if page := _unfinished(request, resource, form, flow):
        return page
    try:
        with flow.lock(resource, given.token) as lock:
            body, token = form.payload(), given.token
            created = writer.create(ctx=ctx, resource=resource, body=body, token=token)
            flow.after_create(request, resource, form, created, lock)
    except GatewayError as error:
        return _show_failure(request, resource, form, flow, error)
    another = given.has("save_new")
    return _completed(resource.url(page="create") if another else resource.url(created.id))


def edit_record(
    request: StaffRequest, resource: Resource, record_id: int, flow: FormFlow
) -> Answer:
    """Show the form of a record, or check and save it. Only what was touched is sent, and never
    over somebody else's change.
    """
    given, ctx, kind = request.form_input, context_of(request), resource.edit_form
    if given.data is None:
        record = flow.read(request, resource, record_id)
        if why := flow.why_closed(resource, record):
            return flow.render_closed(request, resource, record, why)
        form = kind(ctx=ctx, opened_with=kind.read(record, ctx.style))
        return _show(request, resource, form, flow, record_id=record_id)
    opened = open_snapshot(given.get("snapshot"), of=record_name(resource, record_id))
    if opened is None:
        return _start_over(request, resource, record_id, flow)
    form = kind(given.data, ctx=ctx, opened_with=opened)
    form.before_choices = open_snapshot(given.get(OPENED), of=record_name(resource, record_id))
    if given.has("choose"):
        return _show(request, resource, form, flow, record_id=record_id)
    if page := _unfinished(request, resource, form, flow, record_id=record_id):
        return page
    if not form.touched():
        messages.info(request, "Nothing was changed.")
        return _completed(resource.url(record_id))
    try:
        return _save(request, resource, form, record_id, flow)
    except GatewayError as error:
        return _show_failure(request, resource, form, flow, error, record_id=record_id)


def _unfinished(
    request: StaffRequest, resource: Resource, form: RecordForm, flow: FormFlow, **more: Any
) -> HttpResponse | None:
    """The form again, if a button inside it was pressed or it cannot be sent as it is."""
    step = flow.take_step(request, resource, form)
    if step is not None:
        return _show(request, resource, form, flow, **step, **more)
    if flow.check(request, resource, form):
        return None
    return _show(request, resource, form, flow, status=HTTPStatus.UNPROCESSABLE_ENTITY, **more)


def _save(
    request: StaffRequest, resource: Resource, form: RecordForm, record_id: int, flow: FormFlow
) -> Answer:
    """Send what was touched, unless somebody else changed the same fields meanwhile."""
    ctx, token, typed = context_of(request), request.form_input.token, form.payload()
    one: dict[str, Any] = {"ctx": ctx, "resource": resource, "record_id": record_id}
    with writer.lock_for_form(**one, token=token, typed=typed) as lock:
        if lock:
            fresh = flow.read(request, resource, record_id)
            if why := flow.why_closed(resource, fresh):
                form.add_error(None, f"This can no longer be saved. {why}")
                status = HTTPStatus.CONFLICT
                return _show(request, resource, form, flow, record_id=record_id, status=status)
            theirs = resource.edit_form.read(fresh, ctx.style)
            if clashes := list(conflicts(form, theirs)):
                return render_conflict(request, resource, form, clashes, fresh)
            writer.update(
                **one,
                body=flow.body(resource, fresh, typed),
                token=token,
                label=str((form.opened_with or {}).get(resource.title_field) or ""),
                typed=typed,
                fresh=fresh,
                lock=lock,
            )
    messages.success(request, "Your changes were saved.", extra_tags="saved")
    return _completed(resource.url(record_id))


def _start_over(
    request: StaffRequest, resource: Resource, record_id: int, flow: FormFlow
) -> HttpResponse:
    """What was typed, with a new snapshot in place of one that cannot be read any more."""
    ctx, kind = context_of(request), resource.edit_form
    opened = kind.read(flow.read(request, resource, record_id), ctx.style)
    form = kind(request.form_input.data, ctx=ctx, opened_with=opened)
    form.add_error(None, TOO_OLD)
    status = HTTPStatus.CONFLICT
    return _show(request, resource, form, flow, record_id=record_id, status=status)


def _show(
    request: StaffRequest, resource: Resource, form: RecordForm, flow: FormFlow, **more: Any
) -> HttpResponse:
    context: dict[str, Any] = {"template": flow.template, "label": flow.label}
    return render_form(
        request, resource, form, **context, **flow.context(request, resource, form), **more
    )


def _show_failure(
    request: StaffRequest,
    resource: Resource,
    form: RecordForm,
    flow: FormFlow,
    error: GatewayError,
    **more: Any,
) -> Answer:
    context = flow.context(request, resource, form)
    return render_failed_save(
        request, resource, form, error, template=flow.template, **context, **more
    )


def _completed(url: str) -> FormResult:
    return FormResult(redirect(url), FormOutcome.COMPLETED)
