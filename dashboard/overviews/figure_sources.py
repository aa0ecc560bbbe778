"""Shared by the figures of a page: their lists, period and currency.

Each list is a ListQuery, so its URL shows the records that a figure counts.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urlencode

from django.utils import timezone

from dashboard.core.templates import page_url
from dashboard.gateway import Record
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.office.reference_lists import CachedEntry
from dashboard.overviews.periods import DEFAULT_PERIOD, PERIODS, period_of
from dashboard.people.context import RequestContext
from dashboard.reader.all_rows import ReadRows
from dashboard.schema.money import currencies_of, total_of, write_money
from dashboard.schema.registry import RESOURCES

UNKNOWN = "-"  # in an address: the records whose currency is not known


class InCurrency(NamedTuple):
    """The records of a resource, by their ids, under the currency that they are added up in, of
    which the page shows one at a time. `known`: for how many a currency is known.
    """

    names: Mapping[int, str]
    currency: str
    known: int

    def of(self, records: Iterable[Record]) -> list[Record]:
        return [each for each in records if self.names[each.id] == self.currency]

    def leaves_unknown(self, records: Iterable[Record]) -> bool:
        return bool(self.currency) and any(not self.names[each.id] for each in records)

    def notes(
        self, records: Iterable[Record], field: str, noun: str, ctx: RequestContext
    ) -> list[str]:
        """Return the notes: what is left out, a sum for each other currency, and how many have
        none.
        """
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
        notes = [f"Not included: {', '.join(sums)}."] if sums else []
        if not self.currency and 0 < self.known < len(self.names):
            of = f"{self.known:,} of {len(self.names):,}"
            notes.append(f"No currency shown: it is known for {of} only.")
        return notes


class FigureChoices:
    """The period, currency and pipeline in the URL of the figures."""

    def __init__(self, ctx: RequestContext, names_timeout: float | None = None) -> None:
        """names_timeout: seconds to wait for names; None for those of a page."""
        self.ctx, self.today, self.names_timeout = ctx, timezone.localdate(), names_timeout
        asked = ctx.params.get("period", "")
        self.period = asked if asked in PERIODS else DEFAULT_PERIOD
        self.span = period_of(self.period, self.today)
        self._read: dict[str, dict[int, Record]] = {}

    def url(self, page: str, *args: str, **changes: str) -> str:
        """Return the URL of a page of reports with these choices, some of them changed."""
        names = ("period", "currency", "pipeline")
        query = {name: self.ctx.params.get(name, "") for name in names} | changes
        given = urlencode({name: value for name, value in query.items() if value})
        url = page_url(f"figures:{page}", *args)
        return f"{url}?{given}" if given else url

    @cached_property
    def pipelines(self) -> dict[str, list[CachedEntry]]:
        """Return the stages that have a name, in their order, by the code of their pipeline."""
        found: dict[str, list[CachedEntry]] = {}
        for stage in catalogue.entries(self.ctx.workspace, Kind.STAGE):
            if stage.parent:
                found.setdefault(stage.parent, []).append(stage)
        return found

    @property
    def pipeline(self) -> str:
        """Return the code of the pipeline in the URL, else of the first one that has
        stages, or "".
        """
        requested = self.ctx.params.get("pipeline", "")
        return requested if requested in self.pipelines else next(iter(self.pipelines), "")

    def add(self, area: str, records: Iterable[Record]) -> None:
        self._read.setdefault(area, {}).update({each.id: each for each in records})

    @cached_property
    def _grouped(self) -> dict[str, InCurrency]:
        found = {}
        for name, by_id in self._read.items():
            records = by_id.values()
            currencies = currencies_of(self.ctx, RESOURCES[name].endpoint, records)
            groups = currencies.grouped(records)
            names = {each.id: group for group, them in groups.items() for each in them}
            found[name] = InCurrency(names, "", sum(bool(currencies.names.get(i)) for i in names))
        return found

    @cached_property
    def currencies(self) -> list[tuple[str, int]]:
        """Return the currencies of all that was read with the number of their records, most first;
        "" for those whose currency is not known last.
        """
        counts = Counter(name for each in self._grouped.values() for name in each.names.values())
        return sorted(counts.items(), key=lambda one: (not one[0], -one[1], one[0]))

    @cached_property
    def currency(self) -> str:
        """Return the currency in the URL; if none, that of most records."""
        names = [name for name, _ in self.currencies]
        requested = self.ctx.params.get("currency")
        chosen = "" if requested == UNKNOWN else requested
        return chosen if chosen in names else next(iter(names), "")

    @cached_property
    def money(self) -> dict[str, InCurrency]:
        """Return the records by resource; all of them for any choice if no currency of theirs is
        known.
        """
        return {
            name: each._replace(currency=self.currency if any(each.names.values()) else "")
            for name, each in self._grouped.items()
        }


def coverage(reads: Sequence[ReadRows], noun: str) -> list[str]:
    """Return a sentence about the records that a figure counts, unless these are all."""
    if all(read.complete for read in reads):
        return []
    count = sum(len(read.records) for read in reads)
    totals = [read.total for read in reads if read.total is not None]
    of = f"; there are {sum(totals):,}" if len(totals) == len(reads) else ""
    return [f"Of the first {count:,} {noun}{of}."]


def counted(plural: str, count: int) -> str:
    return f"{count:,} {plural.removesuffix('s') if count == 1 else plural}"
