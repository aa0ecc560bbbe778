"""Reads the query string of a list call into conditions, an order and a page."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from .schema import Errors, Filter, Resource
from .validation import is_date

DEFAULT_SIZE = 10
LARGEST_SIZE = 100
COMMON = {"pageSize", "pageIndex", "search", "sortBy", "sortOrder"}


@dataclass
class ListQuery:
    """The query of one list call.

    `errors` are the messages of a strict service; a tolerant one uses the defaults instead of the
    wrong values. `unknown_sort` is true if sortBy is no list field.
    """

    conditions: list[tuple[str, Any]]
    order: str = "id DESC"
    size: int = DEFAULT_SIZE
    index: int = 0
    unknown_sort: bool = False
    errors: Errors = field(default_factory=dict)


def read_query(resource: Resource, workspace: str, text: str, *, clamp: bool) -> ListQuery:
    """Return the query of query string `text`; `clamp` reduces a pageSize above 100 to 100."""
    given = dict(parse_qsl(text, keep_blank_values=True, errors="replace"))
    query = ListQuery([("workspace = ?", workspace)])
    _read_page(query, given, clamp=clamp)
    _read_order(query, resource, given)
    for rule in resource.filters:
        _read_filter(query, rule, given.get(rule.name, ""))
    if search := given.get("search", "").strip():
        query.conditions.append(("instr(search, ?)", search.casefold()))
    known = COMMON | {rule.name for rule in resource.filters}
    for name in given.keys() - known:
        query.errors[name] = [f"The {name} parameter is unknown."]
    return query


def _read_page(query: ListQuery, given: dict[str, str], *, clamp: bool) -> None:
    size, index = given.get("pageSize", ""), given.get("pageIndex", "")
    if size:
        if size.isdecimal() and 1 <= int(size[:9]) <= LARGEST_SIZE:
            query.size = int(size[:9])
        else:
            query.errors["pageSize"] = ["The pageSize parameter must be between 1 and 100."]
            if clamp and size.isdecimal() and int(size[:9]) > LARGEST_SIZE:
                query.size = LARGEST_SIZE
    if index:
        if index.isdecimal():
            query.index = int(index[:9])
        else:
            query.errors["pageIndex"] = ["The pageIndex parameter must be 0 or more."]


def _read_order(query: ListQuery, resource: Resource, given: dict[str, str]) -> None:
    order = given.get("sortOrder", "").lower()
    if order not in {"", "asc", "desc"}:
        query.errors["sortOrder"] = ["The sortOrder parameter must be asc or desc."]
    direction = "DESC" if order == "desc" else "ASC"
    name = given.get("sortBy", "")
    if name == resource.id_field:
        query.order = f"id {direction}"
    elif any(name == f.name for f in resource.listed):
        query.order = f"{name} {direction}, id {direction}"
    elif name:
        query.unknown_sort = True
        query.errors["sortBy"] = ["The sortBy parameter is not a field that can be sorted by."]


def _read_filter(query: ListQuery, rule: Filter, text: str) -> None:
    if not text:
        return
    value = READERS[rule.kind](text)
    if value is None or (rule.choices and value not in rule.choices):
        query.errors[rule.name] = [f"The {rule.name} parameter is invalid."]
        return
    # An upper bound that is a day includes the times of that day.
    value = f"{value}T23:59:59" if rule.compare == "<=" else value
    query.conditions.append((f"{rule.column} {rule.compare} ?", value))


def _integer(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 19 else None


READERS: dict[str, Callable[[str], int | str | None]] = {
    "integer": _integer,
    "date": lambda text: text if is_date(text) else None,
    "string": lambda text: text,
}
