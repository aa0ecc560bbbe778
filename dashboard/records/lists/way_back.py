"""The address of a list as browsers keep it for the way back: with a search in it, encrypted."""

from urllib.parse import urlencode

from dashboard import cipher
from dashboard.records.context import RequestContext
from dashboard.records.lists.query import ListQuery
from dashboard.records.resource import Resource

PARAM = "sealed"
PURPOSE = "way back"


def sealed(query: ListQuery, ctx: RequestContext) -> str:
    """What to keep in place of the query of the address; "" for the query itself."""
    if not query.search or ctx.person is None:
        return ""
    text = urlencode(query.params())
    return f"?{PARAM}={cipher.seal(text, owner=ctx.person.pk, purpose=PURPOSE)}"


def opened(resource: Resource, text: str, ctx: RequestContext) -> str:
    """The address of the list; without its query where that was sealed for somebody else."""
    try:
        query = cipher.unseal(text, owner=ctx.person.pk if ctx.person else 0, purpose=PURPOSE)
    except cipher.Unreadable:
        return resource.url()
    return f"{resource.url()}?{query}"
