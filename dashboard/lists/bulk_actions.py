"""Actions on many records of a list, carried out by jobs."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from django.forms import HiddenInput
from django.http import QueryDict

from dashboard.gateway import Record
from dashboard.people.context import RequestContext
from dashboard.schema import bulk_form, new_record
from dashboard.schema.record_form import RecordForm
from dashboard.schema.resource import BulkAction, CreateFrom, Resource

ANY_RECORD = "1"  # stands in the form of new records for the one that each begins from
Words = list[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class AskingAction(BulkAction, ABC):
    """An action with a form before it. `written`: the resource that it writes."""

    hint: str

    @abstractmethod
    def form(self, written: Resource, ctx: RequestContext, data: QueryDict | None) -> RecordForm:
        """Return the form, bound to the posted data."""

    @abstractmethod
    def params(self, form: Any) -> dict[str, Any]:
        """Return the parameters of the job from the valid form."""

    @abstractmethod
    def in_words(self, written: Resource, ctx: RequestContext, params: Mapping[str, Any]) -> Words:
        """Return the values that are sent for every record, as (label, value)."""


@dataclass(frozen=True, kw_only=True)
class ChangeAction(AskingAction):
    hint: str = "Fill in only the fields to change."

    def form(self, written: Resource, ctx: RequestContext, data: QueryDict | None) -> RecordForm:
        return bulk_form.form_of(written.edit_form)(data, ctx=ctx)

    def params(self, form: bulk_form.BulkForm) -> dict[str, Any]:
        return form.changes()

    def in_words(self, written: Resource, ctx: RequestContext, params: Mapping[str, Any]) -> Words:
        return bulk_form.in_words(written.edit_form(ctx=ctx), params)


@dataclass(frozen=True, kw_only=True)
class CreateAction(AskingAction):
    """Creates a record of another resource for each. param: the form's parameter for the id."""

    param: str
    hint: str = "Creates one for each selected record."

    def form(self, written: Resource, ctx: RequestContext, data: QueryDict | None) -> RecordForm:
        """Return the form of the new records, without the field that links to each record."""
        kind = written.create_form
        if data is not None:
            data = data.copy()
            data[kind.links[self.param]] = ANY_RECORD
        linked = kind.linked_to({self.param: ANY_RECORD}, ctx)
        form = kind(data, ctx=ctx, initial=new_record.initial_values(ctx, written, linked))
        for name in kind.links.values():
            form.fields[name].widget = HiddenInput()
        return form

    def params(self, form: RecordForm) -> dict[str, Any]:
        link = form.links[self.param]
        body = {name: value for name, value in form.payload().items() if name != link}
        return {"link": link, "body": body}

    def in_words(self, written: Resource, ctx: RequestContext, params: Mapping[str, Any]) -> Words:
        form = written.create_form(ctx=ctx)
        record = Record(dict(params.get("body", {})), written.endpoint.kinds)
        given = [name for name in form.fields if record.get(name) not in (None, "")]
        return [bulk_form.described(form, name, record[name]) for name in given]


CHANGE = ChangeAction(
    name="change", label="Change", key="v", kind="bulk change", verb="Change", needs="update"
)
CREATE = "bulk create"  # the kind of job of every CreateAction
DELETE = BulkAction(
    name="delete",
    label="Delete",
    key="#",
    kind="bulk delete",
    verb="Delete",
    needs="delete",
    deletes=True,
)
UNDO = BulkAction(  # offered by the page of a job
    name="undo",
    label="Undo",
    key="",
    kind="bulk undo",
    verb="Undo",
    explained="Deletes what was created, and restores the old values of what was changed.",
    deletes=True,
)


@cache
def actions_of(resource: Resource) -> tuple[BulkAction, ...]:
    """Return the actions on records of this resource, the most frequent first."""
    changes = (CHANGE,) if bulk_form.bulk_fields(resource.edit_form) else ()
    creates = (_create_action(start) for start in resource.creates if start.each)
    return (*changes, *creates, *resource.bulk_actions, DELETE)


def offered(resource: Resource, ctx: RequestContext) -> list[BulkAction]:
    allowed = (action for action in actions_of(resource) if ctx.may(action.permission))
    offers = partial(ctx.gateway.supports, resource.endpoint)
    return [action for action in allowed if action.needs is None or offers(action.needs)]


def _create_action(start: CreateFrom) -> CreateAction:
    return CreateAction(
        name=start.target,
        label=f"{start.label} for each",
        key=start.key,
        kind=CREATE,
        verb=f"Create a {start.label.lower()} for",
        writes=start.target,
        param=start.param,
    )
