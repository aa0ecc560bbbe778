"""The sums of the amounts of a list: over all its records, as far as they were read, and over those
that are chosen. No call is made for either.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from dashboard.gateway import Record
from dashboard.lists.fetch import FetchedPage
from dashboard.lists.query import ListQuery
from dashboard.people.context import RequestContext
from dashboard.reader import sealed_cache
from dashboard.schema.money import Currencies, Sum, currencies_of, write_money
from dashboard.schema.resource import Column
from dashboard.text.style import Style

KEPT = 30 * 60  # seconds that the amounts of a page are kept for the sum of chosen rows
AT_LEAST = "at least "


@dataclass(frozen=True)
class TotalsRow:
    """The last row of a list.

    label: over which records it counts; note: of how many of them the currency is known.
    span: the columns that the label takes. cells: the sums below the columns after them, one text
    for each currency, none below a column without amounts.
    """

    label: str
    note: str
    span: int
    cells: list[tuple[str, ...]]

    @property
    def last(self) -> int:
        """The last of the cells that has a sum, which is the one that a phone has room for."""
        return max((at for at, parts in enumerate(self.cells) if parts), default=0)


def totals_of(
    ctx: RequestContext, fetched: FetchedPage, currencies: Currencies
) -> TotalsRow | None:
    """The last row of a list; None without rows or amounts. `currencies`: of its page."""
    columns, records = fetched.query.shown, fetched.known
    first = next((at for at, each in enumerate(columns) if each.is_amount), 0)
    if not (first and records):
        return None
    common = currencies.common
    if fetched.read is not None:  # more rows than the page has
        currencies = currencies_of(ctx, fetched.query.resource.endpoint, records)
    totals = [each.is_amount and currencies.total(records, each.name) for each in columns[first:]]
    return TotalsRow(
        label=_label(fetched),
        note=next((each.note for each in totals if each), ""),
        span=first,
        cells=[_parts(each, common, ctx.style) if each else () for each in totals],
    )


def _label(fetched: FetchedPage) -> str:
    """Over which records the sums are: all that match, or those that were read."""
    resource, count, total = fetched.query.resource, len(fetched.known), fetched.page.total_records
    if fetched.is_whole:
        return resource.counted(count) if count == 1 else f"All {resource.counted(count)}"
    of = f" of {total:,}" if total is not None and total > count else ""
    return f"At least, from {count:,}{of} {resource.name}"


def _parts(total: Sum, common: str, style: Style) -> tuple[str, ...]:
    """The sum of each currency, without the one that stands in the head of the column."""
    start = "" if total.is_complete else AT_LEAST
    return tuple(
        start + write_money(amount, style, name, is_shown=name != common)
        for name, amount in total.parts
    )


def keep_amounts(
    ctx: RequestContext, query: ListQuery, records: Iterable[Record], currencies: Currencies
) -> None:
    """Keep what the sum of chosen rows needs of those of a page."""
    if column := _summed(query.shown):
        amounts = [(each.id, each.raw.get(column.name)) for each in records]
        sealed_cache.write(_key(ctx, query), [amounts, currencies.names, currencies.common], KEPT)


def sum_of_chosen(ctx: RequestContext, query: ListQuery, ids: Collection[int]) -> str:
    """The sum of the last amount of some rows of a page, with its name; "" where they are not kept
    any more.
    """
    column, kept = _summed(query.shown), sealed_cache.read(_key(ctx, query))
    if column is None or not kept or not ids:
        return ""
    amounts, names, common = kept
    kinds = query.resource.endpoint.kinds
    records = [Record({column.name: raw}, kinds, number) for number, raw in amounts]
    chosen = [each for each in records if each.id in ids]
    if len(chosen) < len(ids):
        return ""
    known = {int(number): name for number, name in names.items()}
    total = Currencies(known, common).total(chosen, column.name)
    start = "" if total.is_complete else AT_LEAST
    return f"{column.label} {start}{total.words(ctx.style)}"


def _summed(columns: Sequence[Column]) -> Column | None:
    return next((each for each in reversed(columns) if each.is_amount), None)


def _key(ctx: RequestContext, query: ListQuery) -> str:
    place = sha256(query.url().encode()).hexdigest()
    return sealed_cache.keys_of(ctx.gateway)("amounts", query.resource.endpoint, place)
