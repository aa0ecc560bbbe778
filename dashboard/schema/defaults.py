"""The office's and the person's own entries, which forms and filters begin with."""

from dashboard.office import choices as preferences
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.people.context import RequestContext
from dashboard.text.plain import folded


def currency_of(ctx: RequestContext) -> str:
    """Return the currency that the office chose, else the only one there is; "" for none."""
    return ctx.settings.currency or only_entry(ctx.workspace, Kind.CURRENCY)


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
    """Return the id of the only user of the service with one of these names; "" for none or
    several.
    """
    codes = catalogue.get_cached_lists(ctx.workspace).codes_by_name(Kind.USER)
    same = {codes[name] for name in map(folded, names) if name in codes}
    return same.pop() if len(same) == 1 else ""


def only_entry(workspace: str, kind: str) -> str:
    """Return the code of the only entry of a list; "" for none or several."""
    offered = catalogue.choices(workspace, kind)
    return next(iter(offered)) if len(offered) == 1 else ""
