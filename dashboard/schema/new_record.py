"""The values with which the form of a new record opens, and the body that it then sends.

Every form starts with them, and so does each record that is created without one.
"""

from collections.abc import Mapping
from typing import Any

from dashboard.gateway import Rejected
from dashboard.office import choices as preferences
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.office.reference_fields import ReferenceField
from dashboard.people.context import RequestContext
from dashboard.schema import defaults
from dashboard.schema.record_form import RecordForm, posted_fields
from dashboard.schema.resource import Resource


def initial_values(
    ctx: RequestContext, resource: Resource, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the defaults, overridden by the person's last choices and by `given`."""
    form = resource.create_form
    choices = preferences.choices_of(ctx.person, ctx.workspace) if ctx.person else {}
    keys = {name: f"{resource.name}.{name}" for name in form.remembered}
    chosen_last = {name: choices[key] for name, key in keys.items() if key in choices}
    return {**_default_values(form, ctx), **chosen_last, **given}


def build_body(ctx: RequestContext, resource: Resource, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the form of a new record sends if it opens with these values. Raises Rejected if
    they are invalid.
    """
    opened = resource.create_form(ctx=ctx, initial=initial_values(ctx, resource, given))
    form = resource.create_form(posted_fields(opened), ctx=ctx)
    if not form.is_valid():
        errors = form.errors.get_json_data().items()
        fields = {name: [each["message"] for each in several] for name, several in errors}
        raise Rejected(fields=fields, sent=False)
    return form.payload()


def _default_values(form: type[RecordForm], ctx: RequestContext) -> dict[str, str]:
    """Return the only entry of each list that a required field offers, the list's first document
    template, the office's currency, and the person's own id in the fields that are
    `defaults_to_self`.
    """
    fields = form.base_fields.items()
    values = {
        name: _default(ctx, field) for name, field in fields if isinstance(field, ReferenceField)
    }
    own = defaults.own_id(ctx) if form.defaults_to_self else ""
    values |= dict.fromkeys(form.defaults_to_self, own)
    return {name: value for name, value in values.items() if value}


def _default(ctx: RequestContext, field: ReferenceField) -> str:
    if field.kind == Kind.CURRENCY:
        return defaults.currency_of(ctx)
    if field.kind == Kind.TEMPLATE and (named := catalogue.entries(ctx.workspace, field.kind)):
        return named[0].code
    return defaults.only_entry(ctx.workspace, field.kind) if field.required else ""
