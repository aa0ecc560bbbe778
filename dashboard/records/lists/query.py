"""The state of a list, which is its address: search, filters, sort, page and size."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote_plus

from django.http import QueryDict

from dashboard.gateway import whole_number
from dashboard.records.lists import filters
from dashboard.records.parsing.style import PLAIN, Style
from dashboard.records.resource import Resource

SIZES = (10, 25, 50, 100)
DEFAULT_SIZE = 25
UNSORTED = "none"  # in the address of a list that is sorted by default: the service's own order
LAST_PAGE = 10_000_000  # beyond any list; keeps a made-up page number out of the API


@dataclass(frozen=True)
class ListQuery:
    """One list as asked for. Pages count from 1 here and from 0 in the API.

    unread: days of the filters that cannot be read, by the parameter of the address.
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
    style: Style = PLAIN

    @classmethod
    def read(cls, resource: Resource, params: QueryDict, style: Style = PLAIN) -> "ListQuery":
        """The query of an address. Parameters that are not valid count as absent."""
        sort = params.get("sort", "")
        if sort not in _sortable(resource):
            sort = "" if sort == UNSORTED else resource.default_sort
        return cls(
            resource=resource,
            search=params.get("search", "").strip(),
            filters=filters.read(resource, params, style),
            sort=sort,
            descending=bool(sort) and params.get("order") == "desc",
            page=_number(params.get("page", ""), default=1),
            size=_number(params.get("size", ""), default=DEFAULT_SIZE, allowed=SIZES),
            unread=filters.unread(resource, params, style),
            style=style,
        )

    def params(self) -> dict[str, str]:
        """The parameters of the address, without those at their defaults."""
        said = {"search": self.search, **self.filters, **self.unread}
        said["sort"] = "" if self.sort == self.resource.default_sort else self.sort or UNSORTED
        said["order"] = "desc" if self.descending else ""
        said["size"] = str(self.size) if self.size != DEFAULT_SIZE else ""
        said["page"] = str(self.page) if self.page != 1 else ""
        return {name: value for name, value in said.items() if value}

    def url(self, **changes: Any) -> str:
        """The address of this list with some of its state changed."""
        params = (replace(self, **changes) if changes else self).params()
        said = "&".join([f"{name}={_quoted(value)}" for name, value in params.items()])
        return f"{self.resource.url()}?{said}" if said else self.resource.url()

    def without(self, name: str) -> str:
        """The address with one filter taken away, on its first page."""
        left = {key: value for key, value in self.filters.items() if key != name}
        ends = (f"{name}_from", f"{name}_to")
        unread = {key: typed for key, typed in self.unread.items() if key not in ends}
        return self.url(filters=left, unread=unread, page=1)

    def sorted_by(self, name: str) -> str:
        """The address sorted by a column; descending where it is sorted by it already."""
        turned = self.sort == name and not self.descending
        return self.url(sort=name, descending=turned, page=1)

    def turned(self) -> str:
        """The address in the opposite order."""
        return self.url(descending=not self.descending, page=1)

    def arguments(self) -> dict[str, Any]:
        """The keyword arguments of `Gateway.list`."""
        return {
            "search": self.search,
            "filters": filters.to_send(self.resource, self.filters, self.style),
            "sort_by": self.sort,
            "sort_order": ("desc" if self.descending else "asc") if self.sort else "",
            "page_index": self.page - 1,
            "page_size": self.size,
        }


def _quoted(value: str) -> str:
    """A value for an address. Words and numbers, the most frequent values, need no quoting."""
    return (
        value
        if value.isascii() and (value.isidentifier() or value.isdecimal())
        else quote_plus(value)
    )


def _sortable(resource: Resource) -> set[str]:
    return {column.name for column in resource.columns if column.sortable}


def _number(text: str, *, default: int, allowed: tuple[int, ...] = ()) -> int:
    number = whole_number(text, largest=LAST_PAGE)
    return default if number is None or (allowed and number not in allowed) else number
