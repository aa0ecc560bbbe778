"""The list's table as prepared HTML: header, rows and pager, ready to be put on the page.

Cells are built in Python with literal addresses (template tags inside the row loop cost ten
times as much). Everything is escaped here or in `cells`.
"""

from collections.abc import Hashable
from functools import lru_cache
from html import escape
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from dashboard.gateway import Page, Record
from dashboard.records.context import RequestContext
from dashboard.records.display.cells import Cell
from dashboard.records.lists.query import SIZES, ListQuery
from dashboard.records.resource import Column, Resource
from dashboard.templating import HOLE


@lru_cache(maxsize=200)
def around(
    query: ListQuery, *, empty: bool, last: int, unsortable: frozenset[str], **facts: Hashable
) -> tuple[str, ...]:
    """What stands around the rows: two pieces, or one where there are none. Drawn once for each
    list and what is said of it, as its dozen links cost as much as the rows.

    last: the number of the last page. facts: what else the template reads.
    """
    context: dict[str, Any] = {
        **facts,
        "resource": query.resource,
        "query": query,
        "size": query.params().get("size", ""),
        "head": head(query, unsortable),
        "pager": pager(query, last) if last > 1 else "",
        "sizes": sizes(query),
        "rows": "" if empty else HOLE,
    }
    return tuple(render_to_string("records/_results.html", context).split(HOLE))


def head(query: ListQuery, unsortable: frozenset[str] = frozenset()) -> SafeString:
    """The header cells; those of sortable columns link to the sorted list."""
    return SafeString(
        "".join(_heading(query, column, unsortable) for column in query.resource.columns)
    )


def rows(resource: Resource, page: Page, ctx: RequestContext) -> SafeString:
    """The body's rows; empty where there are none."""
    first, *others = resource.columns
    name = first.cell or _linked_title(resource)
    drawn = [(_opening(column), column.html) for column in others]
    lines: list[str] = []
    for record in page.records:
        lines += ('<tr><th scope="row">', name(record, ctx), "</th>")
        for opening, html in drawn:
            lines += (opening, html(record, ctx), "</td>")
        lines.append("</tr>")
    return SafeString("".join(lines))


def pager(query: ListQuery, last: int) -> SafeString:
    """Numbered links around the current page, always with the first and the last."""
    near = range(max(1, query.page - 2), min(last, query.page + 2) + 1)
    items: list[str] = []
    previous = 0
    for number in sorted({1, *near, last}):
        if number > previous + 1:
            items.append('<li class="page-item"><span class="page-gap">…</span></li>')
        items.append(_page_link(query, number))
        previous = number
    return SafeString("".join(items))


def sizes(query: ListQuery) -> SafeString:
    """The page sizes on offer; changing it starts at the first page."""
    return SafeString("".join(_size_link(query, number) for number in SIZES))


def _page_link(query: ListQuery, number: int) -> str:
    url = escape(query.url(page=number))
    if number == query.page:
        link = f'<a class="page-link" href="{url}" aria-current="page">{number:,}</a>'
        return f'<li class="page-item active">{link}</li>'
    address = f'href="{url}" hx-get="{url}" aria-label="Page {number:,}"'
    return f'<li class="page-item"><a class="page-link" {address}>{number:,}</a></li>'


def _size_link(query: ListQuery, number: int) -> str:
    url = escape(query.url(size=number, page=1))
    current = ' aria-current="true"' if number == query.size else ""
    address = f'href="{url}" hx-get="{url}"{current} aria-label="{number} rows per page"'
    return f"<li><a {address}>{number}</a></li>"


def _heading(query: ListQuery, column: Column, unsortable: frozenset[str]) -> str:
    side = ' class="num"' if column.numeric else ""
    label = escape(column.label)
    if not column.sortable or column.name in unsortable:
        return f'<th scope="col"{side}>{label}</th>'
    url = escape(query.sorted_by(column.name))
    link = f'<a href="{url}" hx-get="{url}" class="sort">{label}</a>'
    return f'<th scope="col"{side}{_order(query, column)}>{link}</th>'


def _order(query: ListQuery, column: Column) -> str:
    if query.sort != column.name:
        return ""
    return f' aria-sort="{"descending" if query.descending else "ascending"}"'


def _linked_title(resource: Resource) -> Cell:
    start = resource.url()

    def cell(record: Record, ctx: RequestContext) -> SafeString:
        return SafeString(f'<a href="{start}{record.id}/">{escape(resource.title(record))}</a>')

    return cell


def _opening(column: Column) -> str:
    side = ' class="num"' if column.numeric else ""
    return f'<td{side} data-label="{escape(column.label)}">'
