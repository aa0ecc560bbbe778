"""Default values of a new record's form, before any choice of the person."""

from dashboard.office import choices as preferences
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.office.reference_fields import ReferenceField
from dashboard.people.context import RequestContext
from dashboard.schema.record_form import RecordForm
from dashboard.text.plain import folded


def default_values(form: type[RecordForm], ctx: RequestContext) -> dict[str, str]:
    """The only entry of each list that a required field offers, the list's first document template,
    the office's currency, and the person's own id in the fields that are `defaults_to_self`.
    """
    fields = form.base_fields.items()
    values = {
        name: _default(ctx, field) for name, field in fields if isinstance(field, ReferenceField)
    }
    own = own_id(ctx) if form.defaults_to_self else ""
    values |= dict.fromkeys(form.defaults_to_self, own)
    return {name: value for name, value in values.items() if value}


def _default(ctx: RequestContext, field: ReferenceField) -> str:
    if field.kind == Kind.CURRENCY:
        return currency_of(ctx)
    if field.kind == Kind.TEMPLATE and (named := catalogue.entries(ctx.workspace, field.kind)):
        return named[0].code
    return _only(ctx.workspace, field.kind) if field.required else ""


def currency_of(ctx: RequestContext) -> str:
    """The currency that the office chose, else the only one there is; "" for none."""
    return ctx.settings.currency or _only(ctx.workspace, Kind.CURRENCY)


def own_id(ctx: RequestContext) -> str:
    """Return the person's own user id in the service: the one they chose, or that of the only user
    with their name or email address.
    """
    if ctx.person is None:
        return ""
    if chosen := preferences.own_id(ctx.person, ctx.workspace):
        return chosen
    return user_called(ctx, ctx.person.get_full_name(), ctx.person.email)


def user_called(ctx: RequestContext, *names: str) -> str:
    """The id of the only user of the service with one of these names; "" for none or several."""
    wanted = set(map(folded, names)) - {""}
    users = catalogue.names(ctx.workspace, Kind.USER).items()
    same = [code for code, user in users if folded(user) in wanted]
    return str(same[0]) if len(same) == 1 else ""


def _only(workspace: str, kind: str) -> str:
    offered = list(catalogue.choices(workspace, kind))
    return offered[0] if len(offered) == 1 else ""
