"""The values that a new record's form begins with, as its address says."""

from collections.abc import Iterable
from typing import Any

from dashboard.accounts.models import User
from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.forms.defaults import default_values
from dashboard.forms.record_form import EMPTY
from dashboard.gateway import Record, whole_number
from dashboard.pages import deleted_copies
from dashboard.preferences import services as preferences


def initial_values(ctx: RequestContext, resource: Resource) -> dict[str, Any]:
    """A copy of another record; else defaults, what was chosen last, and the records that the
    address names.
    """
    if original := find_original(ctx, resource):
        return values_of_copy(resource, original, ctx)
    form = resource.create_form
    chosen_last = chosen_before(ctx.user, ctx.workspace, resource, form.remembered)
    linked = form.linked_to(ctx.form_input.params, ctx)
    return {**default_values(form, ctx), **chosen_last, **linked}


def chosen_before(
    user: User, workspace: str, resource: Resource, names: Iterable[str]
) -> dict[str, str]:
    """What a person chose last in these fields of a resource's form, by field."""
    choices = preferences.choices_of(user, workspace)
    keys = {name: f"{resource.name}.{name}" for name in names}
    return {name: choices[key] for name, key in keys.items() if key in choices}


def find_original(ctx: RequestContext, resource: Resource) -> Record | None:
    """What a new record is to be a copy of: a record (?copy=17), or the copy that is kept of a
    deleted one (?again=3). None where the address names neither.
    """
    if copied := whole_number(ctx.form_input.params.get("copy", "")):
        return resource.read(ctx.gateway, copied)
    return deleted_copies.find_copy(ctx, resource)


def values_of_copy(resource: Resource, record: Record, ctx: RequestContext) -> dict[str, Any]:
    """The values of a record for the form of a new one, as far as the service shows them."""
    values = resource.create_form.read(record, ctx.style)
    return {name: value for name, value in values.items() if value not in EMPTY}
