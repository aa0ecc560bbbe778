"""The query of a list's URL: search, filters, sort, page and page size."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote_plus, urlencode

from django.http import QueryDict

from dashboard.gateway import whole_number
from dashboard.people.context import RequestContext
from dashboard.schema.filters import FilterForm
from dashboard.schema.resource import Column, Resource
from dashboard.text.plain import typed_text

SIZES = (10, 25, 50, 100)
DEFAULT_SIZE = 25
UNSORTED = "none"  # in the address of a list that is sorted by default: the service's own order
COMPACT = "compact"
ALL = "all"  # the view of all records
VIEW_KEY = re.compile("[a-z0-9-]{1,40}")
PRESERVED = ("size", "columns", "rows", "view")
LAST_PAGE = 10_000_000  # beyond any list; keeps a made-up page number out of the API


@dataclass(frozen=True)
class ListQuery:
    """The query of one list. Pages count from 1 here and from 0 in the API.

    columns: the names of those after the first, in order; () for the default ones. view: the key of
    the view that the list began from.
    """

    resource: Resource
    filters: FilterForm
    search: str = ""
    sort: str = ""
    descending: bool = False
    page: int = 1
    size: int = DEFAULT_SIZE
    columns: tuple[str, ...] = ()
    compact: bool = False
    view: str = ""

    @classmethod
    def from_params(cls, resource: Resource, params: QueryDict, ctx: RequestContext) -> "ListQuery":
        """Parse the query of a URL. Invalid parameters count as absent, except filters."""
        sort = params.get("sort", "")
        if sort not in _sortable(resource):
            sort = "" if sort == UNSORTED else resource.default_sort
        return cls(
            resource=resource,
            filters=FilterForm(resource.filters, params, ctx),
            search=" ".join(typed_text(params, "search").split()),
            sort=sort,
            descending=bool(sort) and params.get("order") == "desc",
            page=_number(params.get("page", ""), default=1),
            size=_number(params.get("size", ""), default=DEFAULT_SIZE, allowed=SIZES),
            columns=_columns(resource, params),
            compact=params.get("rows") == COMPACT,
            view=view if VIEW_KEY.fullmatch(view := params.get("view", "")) else "",
        )

    @classmethod
    def of(cls, resource: Resource, ctx: RequestContext, **params: str) -> "ListQuery":
        return cls.from_params(resource, QueryDict(urlencode(params)), ctx)

    def params(self, filters: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the parameters of the URL, without defaults; `filters` replaces its filters."""
        params = {"search": self.search, **(self.filters.params if filters is None else filters)}
        params["sort"] = "" if self.sort == self.resource.default_sort else self.sort or UNSORTED
        params["order"] = "desc" if self.descending else ""
        params["size"] = str(self.size) if self.size != DEFAULT_SIZE else ""
        params["columns"] = ",".join(self.columns)
        params["rows"] = COMPACT if self.compact else ""
        # A view that nothing is left of is no longer that view, which its key alone would open.
        params["view"] = self.view and (self.view if any(params.values()) else ALL)
        params["page"] = str(self.page) if self.page != 1 else ""
        return {name: value for name, value in params.items() if value}

    def url(self, filters: Mapping[str, str] | None = None, **changes: Any) -> str:
        params = (replace(self, **changes) if changes else self).params(filters)
        query = "&".join([f"{name}={_quoted(value)}" for name, value in params.items()])
        return f"{self.resource.url()}?{query}" if query else self.resource.url()

    def preserved_params(self) -> dict[str, str]:
        """Return the parameters that the filter form passes on."""
        return {name: value for name, value in self.params().items() if name in PRESERVED}

    @property
    def shown(self) -> tuple[Column, ...]:
        if not self.columns:
            return self.resource.columns
        offered = {column.name: column for column in self.resource.offered_columns}
        return (self.resource.columns[0], *(offered[name] for name in self.columns))

    def saved_state(self) -> str:
        """Return the query string to store with a saved list: without the page number and the id of
        the list.
        """
        return urlencode(replace(self, page=1, view="").params())

    def everything(self) -> str:
        """Return the URL of the same table without search and filters."""
        return self.url({}, search="", view=ALL, page=1)

    def without(self, name: str) -> str:
        """Return the URL without one filter, on the first page."""
        return self.url(self.filters.params_without(name), page=1)

    def sorted_by(self, name: str) -> str:
        """Return the URL sorted by a column; descending if it is already sorted by it."""
        turned = self.sort == name and not self.descending
        return self.url(sort=name, descending=turned, page=1)

    def turned(self) -> str:
        return self.url(descending=not self.descending, page=1)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `Gateway.list`. Raises ValueError for filters with errors,
        without which the list would be wider than its URL says.
        """
        if self.filters.errors:
            raise ValueError(f"unusable filters of {self.resource.name}")
        return {
            "search": self.search,
            "filters": self.filters.api_params,
            "sort_by": self.sort,
            "sort_order": ("desc" if self.descending else "asc") if self.sort else "",
            "page_index": self.page - 1,
            "page_size": self.size,
        }


def _quoted(value: str) -> str:
    return (
        value
        if value.isascii() and (value.isidentifier() or value.isdecimal())
        else quote_plus(value)
    )


def _sortable(resource: Resource) -> set[str]:
    return {column.name for column in resource.offered_columns if column.sortable}


def _columns(resource: Resource, params: QueryDict) -> tuple[str, ...]:
    usual = tuple(column.name for column in resource.columns[1:])
    offered = {column.name for column in resource.offered_columns[1:]}
    named = params.getlist("column") or params.get("columns", "").split(",")
    chosen = tuple(name for name in dict.fromkeys(named) if name in offered)
    chosen = moved_up(chosen, params.get("up", ""))
    return () if chosen == usual else chosen


def moved_up(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    """Move a name one place forward."""
    at = names.index(name) if name in names else 0
    return names if at == 0 else (*names[: at - 1], name, names[at - 1], *names[at + 1 :])


def _number(text: str, *, default: int, allowed: tuple[int, ...] = ()) -> int:
    number = whole_number(text, largest=LAST_PAGE)
    return default if number is None or (allowed and number not in allowed) else number
