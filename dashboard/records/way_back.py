"""The page of this site that a request says it came from."""

from django.utils.http import url_has_allowed_host_and_scheme

from dashboard.people.context import RequestContext


def page_before(ctx: RequestContext, back: str, otherwise: str = "") -> str:
    """The address `back` if it is one of this site, else `otherwise`."""
    # redirect() takes a text without a slash for the name of a page.
    safe = back.startswith("/") and url_has_allowed_host_and_scheme(back, {ctx.request.get_host()})
    return back if safe else otherwise
