"""The list's table as prepared HTML: header, rows and pager, ready to be put on the page.

Cells are built in Python with literal addresses (design.md, "Traps": template tags inside the
row loop cost ten times as much). Everything is escaped here or in `cells`.
"""

from html import escape

from django.utils.safestring import SafeString

from dashboard.gateway import Page, Record

from .desk import Desk
from .links import Link
from .query import SIZES, ListQuery
from .resource import Column, Resource


def head(query: ListQuery, unsortable: frozenset[str] = frozenset()) -> SafeString:
    """The header cells; those of sortable columns link to the sorted list."""
    return SafeString(
        "".join(_heading(query, column, unsortable) for column in query.resource.columns)
    )


def rows(resource: Resource, page: Page, desk: Desk) -> list[SafeString]:
    """One safe string per row."""
    return [_row(resource, record, desk) for record in page.records]


def pager(query: ListQuery, last: int) -> list[Link]:
    """Numbered links around the current page, always with the first and the last."""
    near = range(max(1, query.page - 2), min(last, query.page + 2) + 1)
    links: list[Link] = []
    previous = 0
    for number in sorted({1, *near, last}):
        if number > previous + 1:
            links.append(Link("…"))
        links.append(Link(f"{number:,}", query.url(page=number), current=number == query.page))
        previous = number
    return links


def sizes(query: ListQuery) -> list[Link]:
    """The page sizes on offer; changing it starts at the first page."""
    return [Link(str(n), query.url(size=n, page=1), current=n == query.size) for n in SIZES]


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


def _row(resource: Resource, record: Record, desk: Desk) -> SafeString:
    first, *others = resource.columns
    title = f'<a href="{resource.url(record.id)}">{escape(resource.title(record))}</a>'
    name = first.html(record, desk) if first.cell else title
    cells = "".join(_cell(column, record, desk) for column in others)
    return SafeString(f'<tr><th scope="row">{name}</th>{cells}</tr>')


def _cell(column: Column, record: Record, desk: Desk) -> str:
    side = ' class="num"' if column.numeric else ""
    return f'<td{side} data-label="{escape(column.label)}">{column.html(record, desk)}</td>'
