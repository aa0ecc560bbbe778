"""The table of a list as plain data: head, rows, pager and page sizes.

templates/lists/_results.html draws them; nothing here is HTML.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urlencode

from django.core.paginator import Paginator

from dashboard.gateway import Record
from dashboard.gateway.api import FieldKind
from dashboard.lists.bulk_actions import offered
from dashboard.lists.fetch import FetchedPage
from dashboard.lists.query import ListQuery
from dashboard.people.context import RequestContext
from dashboard.schema.cells import NO_NAMES, Names
from dashboard.schema.money import Currencies, currencies_of
from dashboard.schema.resource import BulkAction, Column
from dashboard.schema.values import DisplayValue, TableRow, TableRows
from dashboard.text.numbers import parse_number
from dashboard.text.style import Style


@dataclass(frozen=True)
class Link:
    """A URL with its label; `url` is "" if it is not a link."""

    label: str
    url: str = ""
    current: bool = False


NEIGHBOURS = 2  # page links on either side of the current page
MAX_FITTING = 7  # columns, from 1200 px on


class Heading(NamedTuple):
    """One header cell. `url` sorts by the column, "" if it cannot; `order` is "ascending" or
    "descending" while the list is sorted by it, else "". `currency`: of all amounts below. `field`:
    the name of the field to edit in place in the cells below, "" for none.
    """

    label: str
    numeric: bool
    url: str
    order: str
    currency: str = ""
    field: str = ""


@dataclass(frozen=True)
class ListTable:
    """Records in the columns of a list, and the actions on chosen ones.

    names: of related records. read: the known whole records, by id.
    """

    query: ListQuery
    records: tuple[Record, ...]
    ctx: RequestContext
    names: Names = NO_NAMES
    read: Mapping[int, Record] = field(default_factory=dict)

    @property
    def head(self) -> list[Heading]:
        query, common = self.query, self.names.currencies.common
        order = "descending" if query.descending else "ascending"
        return [
            Heading(
                each.label,
                each.numeric,
                url=query.sorted_by(each.name) if each.sortable else "",
                order=order if query.sort == each.name else "",
                currency=common if each.is_amount else "",
                field=each.name if at and each.name in self.changed_in_place else "",
            )
            for at, each in enumerate(query.shown)
        ]

    @cached_property
    def changed_in_place(self) -> frozenset[str]:
        return self.query.resource.fields_in_place(self.ctx)

    @cached_property
    def rows(self) -> list[TableRow]:
        """Return the rows in the service's order."""
        (first, *others), resource, ctx = self.query.shown, self.query.resource, self.ctx
        names, read = self.names, self.read
        cells = [
            [
                resource.cell(column, record, ctx, names, read)
                if column.from_record
                else column.value(record, ctx, names)
                for column in others
            ]
            for record in self.records
        ]
        place_of = places(others, cells[0] if cells else [], self.query.filters.params)
        styles = [_style(each, place_of, self.changed_in_place) for each in others]
        back, complete_action = self.query.url(), resource.complete_action
        return [
            TableRow(
                first.value(record, ctx, names),
                list(zip(styles, row, strict=True)),
                record.id,
                complete_action(record, ctx, back) if complete_action else None,
            )
            for record, row in zip(self.records, cells, strict=True)
        ]

    def drawn(self, rows: Sequence[TableRow], csrf_input: object) -> TableRows:
        return TableRows(rows, csrf_input, bool(self.actions))

    @property
    def summed(self) -> int:
        """Return the index of the last column of amounts, which is summed over selected rows; 0 for
        none.
        """
        return max((at for at, each in enumerate(self.query.shown) if each.is_amount), default=0)

    @property
    def fits(self) -> bool:
        """Return whether the columns fit the width of a page, so that the head can stick to its
        top.
        """
        return len(self.query.shown) <= MAX_FITTING

    @cached_property
    def actions(self) -> list[BulkAction]:
        return offered(self.query.resource, self.ctx)

    @cached_property
    def awaited(self) -> list[int]:
        """Return the ids of records with values that come after the page."""
        return awaited_ids(self.query, self.records, self.read)

    def late_url(self, rows: Iterable[TableRow]) -> str:
        """Return the URL of the fragment with the late values of these rows; "" if there
        are none.
        """
        awaited = [row.record_id for row in rows if row.record_id in self.awaited]
        asked = {"ids": ",".join(map(str, awaited))}
        if self.query.columns:
            asked["columns"] = ",".join(self.query.columns)
        address = self.query.resource.url(page="cells")
        return f"{address}?{urlencode(asked, safe=',')}" if awaited else ""


def _style(
    column: Column, place_of: Mapping[str, str], changed: Collection[str]
) -> tuple[str, bool]:
    changes = "changes" if column.name in changed else ""
    classes = (place_of.get(column.name, ""), _kind(column), changes)
    return " ".join(filter(None, classes)), column.numeric


def _kind(column: Column) -> str:
    """Return the CSS class of a column: numbers; emails, which wide pages do not cut; or values
    that may come after the page (titles, fields of the whole record), which keep their width.
    """
    if column.numeric:
        return "num"
    if column.is_email:
        return "mail"
    if column.points_to:
        return "points"
    return "comes" if column.from_record else ""


def places(
    columns: Sequence[Column], row: Sequence[DisplayValue], filtered: Collection[str] = ()
) -> dict[str, str]:
    """Return the places of the columns on a narrow screen, which has two lines for a row: "sum"
    beside the title or the column that stands "first"; below them "kind" (a status, unless a filter
    says it), "meta" and "state". Other columns are left out. An email is "meta", which has the most
    room. `row`: the values of one row. `filtered`: the names of the filters in use.
    """
    parts = defaultdict(list)
    for column, value in zip(columns, row, strict=False):
        parts[_part(column, value)].append(column)
    kinds, days = parts["kind"] or parts["later"], parts["day"]
    texts = sorted(parts["text"], key=lambda each: (not each.is_email, not each.points_to))
    meta, others = texts[:1], [] if days else texts[1:]
    if not kinds and not days:
        days, others = others[:1], others[1:]
    shown = {
        "first": parts["first"],
        "sum": parts["number"][-1:] or others,
        "kind": [each for each in kinds if each.name not in filtered],
        "meta": meta,
        "state": days[-1:],
    }
    return {found[0].name: place for place, found in shown.items() if found}


def _part(column: Column, value: DisplayValue) -> str:
    if column.stands_first or value.kind == "status":
        return "first" if column.stands_first else "kind"
    if column.numeric or column.is_day:
        return "number" if column.numeric else "day"
    return "later" if column.from_record else "text"


def awaited_ids(
    query: ListQuery, records: Iterable[Record], read: Mapping[int, Record]
) -> list[int]:
    """Return the records that must still be read by id for the columns of a list."""
    names = [column.name for column in query.shown if column.from_record]
    return [
        record.id
        for record in records
        if record.id not in read and any(name not in record for name in names)
    ]


def pager(query: ListQuery, last: int) -> list[Link]:
    """Return links to the first, the last and the neighbouring pages; none for a single page.
    `last`: the number of the last page.
    """
    if last < 2:
        return []
    numbers = Paginator(range(last), 1).get_elided_page_range(
        query.page, on_each_side=NEIGHBOURS, on_ends=1
    )
    return [
        Link(f"{number:,}", query.url(page=number), number == query.page)
        if isinstance(number, int)
        else Link(str(number))
        for number in numbers
    ]


class ColumnChoice(NamedTuple):
    """A column that may be shown. is_slow: read record by record."""

    name: str
    label: str
    shown: bool
    is_slow: bool


def column_choices(query: ListQuery) -> list[ColumnChoice]:
    """Return the columns after the first: the displayed ones in their order, then the others."""
    chosen = query.shown[1:]
    others = [each for each in query.resource.offered_columns[1:] if each not in chosen]
    return [
        ColumnChoice(each.name, each.label, each in chosen, each.from_record)
        for each in (*chosen, *others)
    ]


def chips(query: ListQuery, ctx: RequestContext) -> list[Link]:
    links = [Link(f"“{query.search}”", query.url(search="", page=1))] if query.search else []
    for item, value in query.filters.active:
        label = f"{item.label}: {item.caption(value, ctx)}"
        links.append(Link(label, query.without(item.name)))
    return links


AT_LEAST = "at least "


class Sums(NamedTuple):
    """The sums of a list's amounts in words, "" without amounts. is_total: they cover all records
    that match, else those on the page. all_url: reads the other pages, "" for none.
    """

    words: str
    is_total: bool
    all_url: str = ""


def sums_of(ctx: RequestContext, fetched: FetchedPage, currencies: Currencies) -> Sums:
    """Return the sums of the records that were read. `currencies`: of its page."""
    records, is_total, is_page = fetched.known, fetched.is_whole, fetched.read is None
    columns = [each for each in fetched.query.shown if each.is_amount]
    if not (columns and records):
        return Sums("", is_total)
    if not is_page:
        currencies = currencies_of(ctx, fetched.query.resource.endpoint, records)
    words = []
    for column in columns:
        total = currencies.total(records, column.name)
        is_known = total.is_complete and (is_total or is_page)
        sum_words = f"{'' if is_known else AT_LEAST}{total.words(ctx.style)}"
        words.append(f"{column.label.lower()} {sum_words}")
    where = "" if is_total and is_page else " on this page" if is_page else " in all"
    return Sums(", ".join(words) + where, is_total)


def sum_of_amounts(texts: Iterable[str], style: Style) -> str:
    """Add up amounts as a table shows them, such as "12.50 EUR", in words; "" for none."""
    kinds: dict[str, FieldKind] = {"amount": "number"}
    rows, names = [], {}
    for place, text in enumerate(texts):
        number, _, names[place] = text.strip().partition(" ")
        rows.append(Record({"amount": parse_number(number, style.mark)}, kinds, place))
    total = Currencies(names).total(rows, "amount")
    start = "" if total.is_complete else AT_LEAST
    return f"{start}{total.words(style)}" if rows else ""
