"""The state of a list, which is its address: search, filters, sort, page and size."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote_plus, urlencode

from django.http import QueryDict

from dashboard.context import RequestContext
from dashboard.declare.filters import Control, Filter, TypedFilter
from dashboard.declare.resource import Column, Resource
from dashboard.gateway import Record, whole_number
from dashboard.text.style import PLAIN, Style

SIZES = (10, 25, 50, 100)
DEFAULT_SIZE = 25
UNSORTED = "none"  # in the address of a list that is sorted by default: the service's own order
COMPACT = "compact"
ALL = "all"  # the view of all records
VIEW_KEY = re.compile("[a-z0-9-]{1,40}")
KEPT = ("size", "columns", "rows", "view")
LAST_PAGE = 10_000_000  # beyond any list; keeps a made-up page number out of the API


@dataclass(frozen=True)
class ListQuery:
    """One list as asked for. Pages count from 1 here and from 0 in the API.

    unread: what filters cannot use, by the parameter of the address. problems: which filter that
    is, and why, in sentences. A list with any is empty, and nothing is read for it.
    columns: the names of those after the first, in order; () for the usual ones.
    view: the key of the view that the list began from.
    style: of the person who asks; no part of the address.
    """

    resource: Resource
    search: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)
    sort: str = ""
    descending: bool = False
    page: int = 1
    size: int = DEFAULT_SIZE
    unread: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    compact: bool = False
    view: str = ""
    style: Style = PLAIN

    @classmethod
    def read(cls, resource: Resource, params: QueryDict, style: Style = PLAIN) -> "ListQuery":
        """The query of an address. Parameters that are not valid count as absent."""
        typed = [(item, item.read(params, style)) for item in resource.filters]
        sort = params.get("sort", "")
        if sort not in _sortable(resource):
            sort = "" if sort == UNSORTED else resource.default_sort
        return cls(
            resource=resource,
            search=params.get("search", "").strip(),
            filters={item.name: each.value for item, each in typed if each.value},
            sort=sort,
            descending=bool(sort) and params.get("order") == "desc",
            page=_number(params.get("page", ""), default=1),
            size=_number(params.get("size", ""), default=DEFAULT_SIZE, allowed=SIZES),
            unread={name: text for _, each in typed for name, text in each.unread.items()},
            problems=tuple(_problem(item, each) for item, each in typed if each.unread),
            columns=_columns(resource, params),
            compact=params.get("rows") == COMPACT,
            view=view if VIEW_KEY.fullmatch(view := params.get("view", "")) else "",
            style=style,
        )

    def params(self) -> dict[str, str]:
        """The parameters of the address, without those at their defaults."""
        params = {"search": self.search, **self.filters, **self.unread}
        params["sort"] = "" if self.sort == self.resource.default_sort else self.sort or UNSORTED
        params["order"] = "desc" if self.descending else ""
        params["size"] = str(self.size) if self.size != DEFAULT_SIZE else ""
        params["columns"] = ",".join(self.columns)
        params["rows"] = COMPACT if self.compact else ""
        params["view"] = self.view
        params["page"] = str(self.page) if self.page != 1 else ""
        return {name: value for name, value in params.items() if value}

    def url(self, **changes: Any) -> str:
        """The address of this list with some of its state changed."""
        params = (replace(self, **changes) if changes else self).params()
        query = "&".join([f"{name}={_quoted(value)}" for name, value in params.items()])
        return f"{self.resource.url()}?{query}" if query else self.resource.url()

    def kept(self) -> dict[str, str]:
        """The parameters that the form of filters keeps."""
        return {name: value for name, value in self.params().items() if name in KEPT}

    def controls(
        self, ctx: RequestContext, params: QueryDict, found: Collection[Record] = ()
    ) -> list[Control]:
        """Every filter as the page draws it. params: of the address, with what was typed in it.
        found: the records of a list that was read to its end, whose references are offered first.
        """
        given = params or QueryDict(urlencode(self.params()))
        listed = self._references(found)
        filters = [item.offering(listed) for item in self.resource.filters]
        return [item.control(self.filters.get(item.name, ""), ctx, given) for item in filters]

    def _references(self, records: Collection[Record]) -> dict[str, tuple[int, ...]]:
        """The ids that the columns of the records refer to, by endpoint, in the records' order."""
        found: dict[str, dict[int, None]] = {}
        for column in self.resource.offered_columns if records else ():
            if column.points_to:
                values = (record[column.name] for record in records)
                ids = found.setdefault(column.points_to.name, {})
                ids |= dict.fromkeys(each for each in values if isinstance(each, int) and each > 0)
        return {name: tuple(ids) for name, ids in found.items()}

    @property
    def in_force(self) -> list[tuple[Filter, str]]:
        """The filters that have a value, each with it."""
        valued = ((item, self.filters.get(item.name, "")) for item in self.resource.filters)
        return [(item, value) for item, value in valued if value]

    @property
    def is_local(self) -> bool:
        """Whether a filter in force applies to rows that were read, as the service lacks it."""
        return any(item.is_local for item, _ in self.in_force)

    def as_of_today(self) -> "ListQuery":
        """The query that asks tomorrow for what this one asks for today."""
        dated = {item.name: item.as_of_today(value, self.style) for item, value in self.in_force}
        return replace(self, filters=dated)

    def sent_filters(self) -> dict[str, Any]:
        """The filters that the service applies, by wire name."""
        endpoint = self.resource.endpoint
        sent = [item.send(value, endpoint, self.style) for item, value in self.in_force]
        return {name: value for part in sent for name, value in part.items()}

    @property
    def shown(self) -> tuple[Column, ...]:
        if not self.columns:
            return self.resource.columns
        offered = {column.name: column for column in self.resource.offered_columns}
        return (self.resource.columns[0], *(offered[name] for name in self.columns))

    def stored(self) -> str:
        """What a saved list keeps: the address's query without the page and the list itself."""
        return urlencode(replace(self, page=1, view="").params())

    def everything(self) -> str:
        """The address of the same table without search and filters."""
        return self.url(search="", filters={}, unread={}, view=ALL, page=1)

    def without(self, name: str) -> str:
        """The address with one filter taken away, on its first page."""
        left = {key: value for key, value in self.filters.items() if key != name}
        typed = (name, f"{name}_from", f"{name}_to", f"{name}-text")
        unread = {key: text for key, text in self.unread.items() if key not in typed}
        return self.url(filters=left, unread=unread, page=1)

    def sorted_by(self, name: str) -> str:
        """The address sorted by a column; descending where it is sorted by it already."""
        turned = self.sort == name and not self.descending
        return self.url(sort=name, descending=turned, page=1)

    def turned(self) -> str:
        return self.url(descending=not self.descending, page=1)

    def arguments(self) -> dict[str, Any]:
        return {
            "search": self.search,
            "filters": self.sent_filters(),
            "sort_by": self.sort,
            "sort_order": ("desc" if self.descending else "asc") if self.sort else "",
            "page_index": self.page - 1,
            "page_size": self.size,
        }


def _problem(item: Filter, typed: TypedFilter) -> str:
    texts = "” and “".join(typed.unread.values())
    return f"{item.label}: “{texts}” cannot be used. {' '.join(typed.wrong)}"


def _quoted(value: str) -> str:
    """A value for an address. Words and numbers, the most frequent values, need no quoting."""
    return (
        value
        if value.isascii() and (value.isidentifier() or value.isdecimal())
        else quote_plus(value)
    )


def _sortable(resource: Resource) -> set[str]:
    return {column.name for column in resource.offered_columns if column.sortable}


def _columns(resource: Resource, params: QueryDict) -> tuple[str, ...]:
    """The columns that the address or the form of columns names; () for the usual ones."""
    usual = tuple(column.name for column in resource.columns[1:])
    offered = {column.name for column in resource.offered_columns[1:]}
    named = params.getlist("column") or params.get("columns", "").split(",")
    chosen = tuple(name for name in dict.fromkeys(named) if name in offered)
    chosen = moved_up(chosen, params.get("up", ""))
    return () if chosen == usual else chosen


def moved_up(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The names with one of them a place earlier."""
    at = names.index(name) if name in names else 0
    return names if at == 0 else (*names[: at - 1], name, names[at - 1], *names[at + 1 :])


def _number(text: str, *, default: int, allowed: tuple[int, ...] = ()) -> int:
    number = whole_number(text, largest=LAST_PAGE)
    return default if number is None or (allowed and number not in allowed) else number
