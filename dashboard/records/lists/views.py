"""The lists of a resource that have a name: all records, the built-in views, and the saved ones."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import QueryDict

from dashboard.preferences import saved_views, services
from dashboard.preferences.models import SavedView
from dashboard.records.context import RequestContext
from dashboard.records.lists.query import ALL, ListQuery
from dashboard.records.resource import Resource
from dashboard.text.style import Style


@dataclass(frozen=True)
class ListView:
    """A list under a name. `params`: the query of its address. `saved`: None for a built-in one."""

    key: str
    label: str
    resource: Resource
    params: str = ""
    saved: SavedView | None = None

    @property
    def url(self) -> str:
        """The address of the list."""
        marked = f"{self.params}&view={self.key}" if self.params else f"view={self.key}"
        return f"{self.resource.url()}?{marked}"

    def query(self, style: Style) -> ListQuery:
        """The state of the list."""
        return ListQuery.read(self.resource, QueryDict(self.params), style)

    def may_change(self, ctx: RequestContext, *, shares: bool) -> bool:
        """Whether the person may change it: their own, and a shared one with the right to share."""
        return self.saved is not None and (self.saved.user_id == _pk(ctx) or shares)


def views_of(
    resource: Resource, ctx: RequestContext, saved: Iterable[SavedView] | None = None
) -> list[ListView]:
    """All records, the built-in views, then those saved. One query, unless `saved` are given."""
    found = [ListView(ALL, "All", resource)]
    for view in resource.views:
        params = dict(view.params)
        if view.own_id:
            params[view.own_id] = own_id(ctx)
        if all(params.values()):
            found.append(ListView(view.key, view.label, resource, urlencode(params)))
    rows = saved_of(ctx) if saved is None else saved
    own = (row for row in rows if row.resource == resource.name)
    return found + [ListView(row.key, row.name, resource, row.params, row) for row in own]


def saved_of(ctx: RequestContext) -> list[SavedView]:
    """The saved views that the person sees, of every resource."""
    return saved_views.listed(ctx.person, ctx.workspace) if ctx.person else []


def own_id(ctx: RequestContext) -> str:
    """The person's own user id in the service; "" if it is not known."""
    return services.own_id(ctx.person, ctx.workspace) if ctx.person else ""


def first_view(resource: Resource, ctx: RequestContext) -> str:
    """The key of the view that the list opens with."""
    chosen = saved_views.first_view(ctx.person, ctx.workspace, resource.name) if ctx.person else ""
    return chosen or resource.first_view or ALL


def query_of(
    resource: Resource, ctx: RequestContext, params: QueryDict, views: list[ListView], key: str
) -> ListQuery:
    """The query of an address. One without parameters is that of the view of this key."""
    if params:
        return ListQuery.read(resource, params, ctx.style)
    first = next((view for view in views if view.key == key), views[0])
    return replace(first.query(ctx.style), view="" if first.key == ALL else first.key)


def current(views: list[ListView], query: ListQuery) -> ListView | None:
    """The view that a list began from; None if there is none of that key any more."""
    return next((view for view in views if view.key == (query.view or ALL)), None)


def is_changed(view: ListView | None, query: ListQuery) -> bool:
    """Whether the list differs from the view that it began from."""
    return view is None or view.query(query.style).state() != query.state()


def _pk(ctx: RequestContext) -> int | None:
    return ctx.person.pk if ctx.person else None
