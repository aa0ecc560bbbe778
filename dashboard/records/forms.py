"""The form pages of a record.

A view reads from top to bottom: build the form, handle its buttons, validate, send. A form with
steps of its own is a subclass of `NewForm` or `EditForm`. An API failure that belongs on the form
is rendered there with everything typed; the middleware renders all others.
"""

from dataclasses import replace
from functools import cached_property
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect

from dashboard.core import after_response
from dashboard.gateway import (
    Created,
    GatewayError,
    OutcomeUnknown,
    Record,
    Rejected,
    whole_number,
)
from dashboard.office import choices as preferences
from dashboard.office.record_field import FormValue
from dashboard.people.context import RequestContext
from dashboard.reader.failures import Failure, describe
from dashboard.records import form_drafts, in_place, presence, repeats
from dashboard.records.conflicts import OPENED, conflict_context
from dashboard.records.form_drafts import DRAW, PREFILLED_SUBMIT, FormInput, form_input, form_page
from dashboard.records.initial_values import REPEAT, initial_values, repeat_day
from dashboard.records.record_page import (
    FIELD,
    record_context,
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
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.writes import outcomes, writer
from dashboard.writes.ledger import InFlight, RecordRef
from dashboard.writes.outcomes import TokenReused

BACK = "back"  # the parameter with the page that a saved form leads to
BESIDE = "beside"  # the one with a record that shows the new one among its activity: invoices/17
TOO_OLD = "This form has expired. Check your changes and save again."


class FormPage:
    """A page with one form. `label`: the name of its draft. `failure`: a failure to save that
    belongs to no field.
    """

    template, fields_template = "records/form.html", "records/_collapsed.html"
    record_id: int | None = None
    failure: Failure | None = None

    def __init__(self, ctx: RequestContext, resource: Resource) -> None:
        self.ctx, self.resource = ctx, resource

    @property
    def input(self) -> FormInput:
        return form_input(self.ctx)

    @cached_property
    def form(self) -> RecordForm:
        """Return the new form or the submitted one. Raises GatewayError."""
        raise NotImplementedError

    @property
    def label(self) -> str:
        return f"New {self.resource.singular}"

    @property
    def is_submitted(self) -> bool:
        return self.input.data is not None

    def apply_button(self) -> bool:
        """Handle a button other than Save, or a draft. Return False if the form is to be sent."""
        if self.input.show_only:
            self.form.leave_unchecked()
        return self.input.show_only

    def is_valid(self) -> bool:
        return self.form.is_valid()

    def context(self) -> dict[str, Any]:
        """Return additional context for the template."""
        return {}

    def render(self, *, status: int = HTTPStatus.OK) -> HttpResponse:
        if self.ctx.request.htmx and (names := self.input.get(DRAW).split()):
            drawn = [name for name in names if name in self.form.fields]
            return self.ctx.render(self.fields_template, {"form": self.form, "names": drawn})
        again = self.input.redisplay_reason
        if again and again.refusal:
            self.form.show_rejection(again.refusal)
            status = HTTPStatus.UNPROCESSABLE_ENTITY
        if self.form.is_bound:
            form_drafts.store_changed(self.ctx, self.form.data)
        undrawn = self.form.undrawn()
        is_blank = not (self.form.is_bound or self.form.opened_with or self.ctx.params)
        begun = posted_fields(self.form) if is_blank else None
        context = {
            **record_context(self.resource, self.record_id),
            "form": self.form,
            "undrawn": undrawn,
            "carried": posted_fields(self.form, undrawn),
            "failure": self.failure,
            "understood": self.form.understood(self.input.params),
            "not_in_plan": self.resource.name in self.ctx.closed_areas,
            **self.context(),
            **form_drafts.form_context(self.ctx, self.label, begun=begun),
        }
        return self.respond(context, status)

    def respond(self, context: dict[str, Any], status: int) -> HttpResponse:
        context |= form_drafts.offers(self.ctx, self.resource)
        return self.ctx.render(self.template, context, status=status)

    def render_failure(self, error: GatewayError) -> HttpResponse:
        """Render the failure in its fields or in a banner. Redirect to the page of the write if its
        outcome is unknown.
        """
        if isinstance(error, OutcomeUnknown):
            return redirect(outcomes.url_for_token(self.input.token))
        if isinstance(error, Rejected) and not isinstance(error, TokenReused):
            self.form.show_rejection(error)
            form_drafts.drop_if_repeated(self.ctx)
            return self.render(status=HTTPStatus.UNPROCESSABLE_ENTITY)
        self.failure = describe(error)
        return self.render(status=self.failure.status)


class NewForm(FormPage):
    """Form of a new record, linked to another (?contact=17) or copied from one (?copy=17)."""

    def __init__(self, ctx: RequestContext, resource: Resource) -> None:
        super().__init__(ctx, resource)
        if self.input.has(PREFILLED_SUBMIT):
            self._fill()

    def _fill(self) -> None:
        """Bind a form that is sent unseen to the values from its URL and the fields that were
        typed elsewhere, and store these.
        """
        given, typed = self.input, self.input.data or QueryDict()
        form = self.resource.create_form(ctx=self.ctx, initial=self.initial())
        data = posted_fields(form)
        for name in form.fields.keys() & typed.keys():
            data.setlist(name, typed.getlist(name))
        data["token"] = given.token
        form_drafts.store_changed(self.ctx, data)
        self.ctx.request.form_input = replace(given, data=data, filled=not given.show_only)

    def initial(self) -> dict[str, Any]:
        """Return the initial values. Raises GatewayError."""
        return initial_values(self.ctx, self.resource)

    @cached_property
    def form(self) -> RecordForm:
        kind = self.resource.create_form
        if self.is_submitted:
            return kind(self.input.data, ctx=self.ctx)
        form = kind(ctx=self.ctx, initial=self.initial())
        if repeat_day(self.ctx):
            form.focus(SAVE)
        return form

    def send(self) -> Created:
        """Create the record of the valid form. Raises GatewayError."""
        body, token = self.form.payload(), self.input.token
        try:
            created = writer.create(
                ctx=self.ctx, resource=self.resource, body=body, token=token, beside=self._beside()
            )
        except InFlight:
            raise  # the request that sends it goes on, once it knows
        except OutcomeUnknown:
            self._move_repeat_on()  # it is looked for under Not sure
            raise
        self._move_repeat_on()
        return created

    def _beside(self) -> list[RecordRef]:
        name, _, number = self.input.params.get(BESIDE, "").partition("/")
        record_id = whole_number(number)
        return [(name, record_id)] if name in RESOURCES and record_id else []

    def _move_repeat_on(self) -> None:
        if REPEAT in self.input.params:
            repeats.note_made(self.ctx, self.resource)

    def announce(self, created: Created) -> None:
        """Add the success message."""
        message = outcomes.saved(self.resource.name, "create", created.id, created.label).message
        messages.success(self.ctx.request, message)

    def remember_choices(self) -> None:
        """Store choices for the person's next form."""
        chosen = {
            f"{self.resource.name}.{name}": str(self.form.cleaned_data[name])
            for name in self.form.remembered
            if self.form.cleaned_data.get(name)
        }
        if chosen:
            after_response.run_best_effort(
                preferences.remember_choices,
                user=self.ctx.user,
                workspace=self.ctx.workspace,
                values=chosen,
            )

    def leave(self, created: Created) -> HttpResponse:
        """Redirect to the new record, to another new form, or to the page of ?back=."""
        form_drafts.drop_saved(self.ctx)
        if self.input.has("save_new"):
            return redirect(self.resource.url(page="create"))
        back = self.ctx.local_url(self.input.params.get(BACK, ""))
        return redirect(back or self.resource.url(created.id))


class EditForm(FormPage):
    """Form of an existing record. Sends only changed fields, never over someone else's change."""

    record_id: int

    def __init__(self, ctx: RequestContext, resource: Resource, record_id: int) -> None:
        super().__init__(ctx, resource)
        self.record_id, self.name = record_id, resource.record_name(record_id)

    @cached_property
    def record(self) -> Record:
        """Return the record as it is now. Raises GatewayError."""
        return self.resource.read(self.ctx.gateway, self.record_id, fresh=True)

    @cached_property
    def snapshot(self) -> dict[str, FormValue] | None:
        """Return the initial values of the submitted form; None if they cannot be read any more."""
        return open_snapshot(self.input.get("snapshot"), of=self.name)

    @property
    def is_outdated(self) -> bool:
        return self.is_submitted and self.snapshot is None

    @cached_property
    def form(self) -> RecordForm:
        kind = self.resource.edit_form
        opened = self.snapshot
        if opened is None:
            opened = kind.read(self.record, self.ctx.style)
        form = kind(self.input.data, ctx=self.ctx, opened_with=opened)
        if self.is_outdated:
            form.add_error(None, TOO_OLD)
        elif self.is_submitted:
            form.before_choices = open_snapshot(self.input.get(OPENED), of=self.name)
        elif (name := self.ctx.params.get(FIELD, "")) in form.fields:
            form.focus(name)
        return form

    @property
    def title(self) -> str:
        return str((self.form.opened_with or {}).get(self.resource.title_field) or self.name)

    @property
    def label(self) -> str:
        return f"Edit {self.title}"

    def apply_button(self) -> bool:
        """Apply the pressed button as FormPage.apply_button; also return True for a form from the
        conflict page.
        """
        return self.input.has("choose") or super().apply_button()

    def context(self) -> dict[str, Any]:
        opened = self.form.before_choices or self.form.opened_with or {}
        return {
            "snapshot": seal_snapshot(opened, of=self.name),
            "title": self.title,
            "presence": presence.join(self.ctx, self.name, self.title),
        }

    def respond(self, context: dict[str, Any], status: int) -> HttpResponse:
        if name := in_place.requested_field(self.ctx, self.resource):
            return in_place.render_field(self.ctx, self.form, name, context, status)
        return super().respond(context, status)

    def problem_with(self, record: Record) -> HttpResponse | None:
        """Return the conflict page if someone else has changed the same fields."""
        current = self.resource.edit_form.read(record, self.ctx.style)
        clashes = list(conflicts(self.form, current))
        if not clashes:
            return None
        if in_place.requested_field(self.ctx, self.resource):
            return form_drafts.request_full_submit()
        context = conflict_context(self.ctx, self.resource, self.form, clashes, record)
        context |= form_drafts.form_context(self.ctx, self.label)
        return self.ctx.render("records/conflict.html", context, status=HTTPStatus.CONFLICT)

    def leave(self) -> HttpResponse:
        form_drafts.drop_saved(self.ctx)
        messages.success(self.ctx.request, "Your changes were saved.", extra_tags="saved")
        return redirect(self.resource.url(self.record_id))

    def leave_unchanged(self) -> HttpResponse:
        form_drafts.finish_draft(self.ctx)
        messages.info(self.ctx.request, "Nothing was changed.")
        return redirect(self.resource.url(self.record_id))


@form_page
def create(ctx: RequestContext, resource: Resource) -> HttpResponse:
    return create_record(NewForm(ctx, resource))


def create_record(form: NewForm) -> HttpResponse:
    if not form.is_submitted or form.apply_button():
        return form.render()
    if not form.is_valid():
        return form.render(status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        created = form.send()
    except GatewayError as error:
        return form.render_failure(error)
    form.announce(created)
    form.remember_choices()
    return form.leave(created)


@form_page
def edit(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    if not ctx.gateway.supports(resource.endpoint, "update"):
        return render_not_offered(ctx, resource, record_id, "update")
    return edit_record(EditForm(ctx, resource, record_id))


def edit_record(form: EditForm) -> HttpResponse:
    """Render or submit the form of a record; for htmx one field of it."""
    in_place.complete_input(form.ctx, form.resource, form.record_id)
    return in_place.answer(form.ctx, form.resource, form.record_id, _edit(form))


def _edit(form: EditForm) -> HttpResponse:
    if form.is_outdated:
        return form.render(status=HTTPStatus.CONFLICT)
    if not form.is_submitted or form.apply_button():
        return form.render()
    if not form.is_valid():
        return form.render(status=HTTPStatus.UNPROCESSABLE_ENTITY)
    if not form.form.touched():
        return form.leave_unchanged()
    try:
        with writer.reserve(form.ctx, form.resource, form.record_id, form.input.token) as write:
            if write.is_new and (problem := form.problem_with(write.read())):
                return problem
            write.update(form.form.payload())
    except GatewayError as error:
        return form.render_failure(error)
    return form.leave()
