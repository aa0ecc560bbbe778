"""Reads the lists that figures are made of, side by side and at most so many pages of each, and
adds up their records by currency.

Each list is a ListQuery, so that what is read is what its address shows.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from time import monotonic
from typing import NamedTuple

from django.utils import timezone

from dashboard.catalogue import services as catalogue
from dashboard.catalogue.kinds import Kind
from dashboard.catalogue.services import CachedEntry
from dashboard.context import RequestContext
from dashboard.declare.registry import RESOURCES
from dashboard.display.cells import NO_NAMES
from dashboard.display.money import Currencies, currencies_of, total_of, write_money
from dashboard.figures.periods import Span, year_before
from dashboard.gateway import GatewayError, Record, Rejected
from dashboard.lists.query import ListQuery
from dashboard.reader.all_rows import Reading, ReadRows

PATIENCE = 15.0  # seconds that the page waits for its slowest list
MOST_STAGES = 8
# At most 50 pages for one figure: it may be made of two lists, or of one for each stage.
MOST_PAGES = {"open": 50, "invoiced": 25, "before": 25, "deals": 50, "stages": 6, "pipeline": 1}
OLDEST_DUE_FIRST = {"open": "due_date"}  # the other lists come in the service's order
UNKNOWN = "-"  # in an address: the records whose currency is not known


class ReadList(NamedTuple):
    """A list as it was read."""

    query: ListQuery
    rows: ReadRows


def list_of(ctx: RequestContext, name: str, **filters: str) -> ListQuery:
    """The list of a resource by values of its filters, as they stand in its address."""
    return ListQuery.of(RESOURCES[name], ctx, **filters)


def pipelines_of(ctx: RequestContext) -> dict[str, list[CachedEntry]]:
    """The stages that have a name, in their order, by the code of their pipeline."""
    found: dict[str, list[CachedEntry]] = {}
    for stage in catalogue.entries(ctx.workspace, Kind.STAGE):
        if stage.parent:
            found.setdefault(stage.parent, []).append(stage)
    return found


def pipeline_of(ctx: RequestContext) -> str:
    """The code of the pipeline in the address, else of the first one that has stages, or ""."""
    pipelines, asked = pipelines_of(ctx), ctx.params.get("pipeline", "")
    return asked if asked in pipelines else next(iter(pipelines), "")


def stages_of(ctx: RequestContext) -> list[CachedEntry]:
    return pipelines_of(ctx).get(pipeline_of(ctx), [])


def _queries(ctx: RequestContext, period: Span) -> dict[str, list[ListQuery]]:
    """The lists by the names that figures have for them."""
    pipeline = pipeline_of(ctx)
    deals = partial(list_of, ctx, "deals", pipeline_id=pipeline)
    return {
        "open": [list_of(ctx, "invoices", inv_status="0")],
        "invoiced": [list_of(ctx, "invoices", date=period.value)],
        "before": [list_of(ctx, "invoices", date=year_before(period).value)],
        "deals": [list_of(ctx, "deals")],
        "pipeline": [deals()] if pipeline else [],
        "stages": [deals(deal_current_stage=each.code) for each in stages_of(ctx)[:MOST_STAGES]],
    }


class InCurrency(NamedTuple):
    """The records of a resource, by their ids, under the currency that they are added up in, of
    which the page shows one at a time. `known`: for how many a currency is known.
    """

    names: Mapping[int, str]
    currency: str
    known: int

    def of(self, records: Iterable[Record]) -> list[Record]:
        """Those of some records that are in the currency shown."""
        return [each for each in records if self.names[each.id] == self.currency]

    def leaves_unknown(self, records: Iterable[Record]) -> bool:
        """Whether some records may be in the currency shown, as theirs is not known."""
        return bool(self.currency) and any(not self.names[each.id] for each in records)

    def notes(
        self, records: Iterable[Record], field: str, noun: str, ctx: RequestContext
    ) -> list[str]:
        """What is left out, one sum for each other currency, and for how many none is known."""
        others: dict[str, list[Record]] = {}
        for each in records:
            if (name := self.names[each.id]) != self.currency:
                others.setdefault(name, []).append(each)
        sums = [
            f"{write_money(total_of(them, field).amount, ctx.style, name)}"
            f"{'' if name else ' in a currency that is not known'}"
            f" ({counted(noun, len(them))})"
            for name, them in sorted(others.items())
        ]
        notes = [f"Not added: {', '.join(sums)}."] if sums else []
        if not self.currency and 0 < self.known < len(self.names):
            of = f"{self.known:,} of {len(self.names):,}"
            notes.append(f"Without a unit: the currency is known for {of} only.")
        return notes


class Sources:
    """What was read of the lists that some figures name. `names`: of the customers that are shown,
    set once those are known.
    """

    def __init__(self, ctx: RequestContext, period: Span, names: Iterable[str]) -> None:
        """All lists are begun before the first one is waited for."""
        self.ctx, self.period, self.today = ctx, period, timezone.localdate()
        self.names = NO_NAMES
        self._until = monotonic() + PATIENCE
        queries = _queries(ctx, period)
        begun = {
            name: [(each, self._begin(name, each)) for each in queries[name]] for name in names
        }
        self._answers = {
            name: [self._answer(name, *each) for each in every] for name, every in begun.items()
        }

    def _begin(self, name: str, query: ListQuery, *, is_sorted: bool = True) -> Reading:
        return Reading(
            self.ctx.gateway,
            query.resource.endpoint,
            filters=query.filters.api_params,
            sort=OLDEST_DUE_FIRST.get(name, "") if is_sorted else "",
            until=self._until,
            most=MOST_PAGES[name],
        )

    def _answer(self, name: str, query: ListQuery, reading: Reading) -> ReadList | GatewayError:
        """What was read; unsorted where the service refuses the order."""
        try:
            try:
                return ReadList(query, reading.result())
            except Rejected:
                if name not in OLDEST_DUE_FIRST:
                    raise
                return ReadList(query, self._begin(name, query, is_sorted=False).result())
        except GatewayError as error:
            return error

    def lists(self, *names: str) -> list[ReadList]:
        """Lists by name. Raises the GatewayError of the first that could not be read."""
        found = []
        for answer in chain.from_iterable(self._answers.get(name, ()) for name in names):
            if isinstance(answer, GatewayError):
                raise answer
            found.append(answer)
        return found

    @cached_property
    def _by_currency(self) -> dict[str, tuple[Currencies, dict[str, list[Record]]]]:
        """By the name of a resource: its currencies, and its records by currency."""
        read: dict[str, dict[int, Record]] = {}
        for answer in chain.from_iterable(self._answers.values()):
            if isinstance(answer, ReadList):
                of_resource = read.setdefault(answer.query.resource.name, {})
                of_resource |= {each.id: each for each in answer.rows.records}
        found = {}
        for name, records in read.items():
            currencies = currencies_of(self.ctx, RESOURCES[name].endpoint, records.values())
            found[name] = currencies, currencies.grouped(records.values())
        return found

    @cached_property
    def currencies(self) -> list[tuple[str, int]]:
        """The currencies of all that was read with the number of their records, most first; "" for
        those whose currency is not known last.
        """
        counts: dict[str, int] = {}
        for _, by_currency in self._by_currency.values():
            for name, records in by_currency.items():
                counts[name] = counts.get(name, 0) + len(records)
        return sorted(counts.items(), key=lambda one: (not one[0], -one[1], one[0]))

    @cached_property
    def currency(self) -> str:
        """The currency in the address; where nothing is in it, that of most records."""
        names = [name for name, _ in self.currencies]
        asked = self.ctx.params.get("currency")
        chosen = "" if asked == UNKNOWN else asked
        return chosen if chosen in names else next(iter(names), "")

    def money(self, resource: str) -> InCurrency:
        """The records of a resource by currency. Where no currency of theirs is known, all are
        shown whatever is chosen.
        """
        currencies, by_currency = self._by_currency.get(resource, (Currencies(), {}))
        shown = "" if list(by_currency) == [""] else self.currency
        names = {each.id: name for name, them in by_currency.items() for each in them}
        return InCurrency(names, shown, sum(bool(currencies.names.get(each)) for each in names))


def coverage(reads: Sequence[ReadList], noun: str) -> list[str]:
    """Over which records a figure counts, in one sentence; none where there are no records."""
    count = sum(len(read.rows.records) for read in reads)
    if all(read.rows.complete for read in reads):
        return [f"All {count:,} {noun} were read."] if count else []
    totals = [read.rows.total for read in reads if read.rows.total is not None]
    of = f"; there are {sum(totals):,}" if len(totals) == len(reads) else ""
    return [f"Of the first {count:,} {noun}{of}."]


def counted(plural: str, count: int) -> str:
    """1 invoice, 2 invoices."""
    return f"{count:,} {plural.removesuffix('s') if count == 1 else plural}"
