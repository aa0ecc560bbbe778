"""What the page Figures has read, by currency, and which records its figures count."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import chain

from dashboard.context import RequestContext
from dashboard.display.money import Currencies, currencies_of, write_money
from dashboard.figures.fetch import Answer, ReadList
from dashboard.figures.groups import added
from dashboard.figures.periods import Span
from dashboard.gateway import GatewayError, Record
from dashboard.resources import BY_NAME


@dataclass(frozen=True)
class InCurrency:
    """The records of one kind by the currency that they are added up in, of which the page shows
    one at a time. `known`: for how many of `count` records a currency is known.
    """

    names: Mapping[int, str]
    currency: str
    known: int
    count: int

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
            f"{write_money(added(them, field).amount, ctx.style, name)}"
            f"{'' if name else ' in a currency that is not known'}"
            f" ({counted(noun, len(them))})"
            for name, them in sorted(others.items())
        ]
        not_added = [f"Not added: {', '.join(sums)}."] if sums else []
        partly = not self.currency and 0 < self.known < self.count
        known = f"Without a unit: the currency is known for {self.known:,} of {self.count:,} only."
        return not_added + ([known] if partly else [])


@dataclass
class Sources:
    """What was read, for whom, and about which days. `ctx` gets the names of the customers as soon
    as it is known which are shown. `chosen`: the currency in the address; None, or one that
    nothing is in, for the one of most records.
    """

    ctx: RequestContext
    period: Span
    today: date
    answers: Mapping[str, Sequence[Answer]]
    chosen: str | None

    def lists(self, *names: str) -> list[ReadList]:
        """Lists by name. Raises the GatewayError of the first that could not be read."""
        found = []
        for answer in chain.from_iterable(self.answers[name] for name in names):
            if isinstance(answer, GatewayError):
                raise answer
            found.append(answer)
        return found

    def read_if_possible(self, name: str) -> list[ReadList]:
        """The lists of a name that were read."""
        return [each for each in self.answers.get(name, ()) if isinstance(each, ReadList)]

    @cached_property
    def _by_currency(self) -> dict[str, tuple[Currencies, dict[str, list[Record]]]]:
        """By the name of a resource: its currencies, and its records by currency."""
        read: dict[str, dict[int, Record]] = {}
        for answer in chain.from_iterable(self.answers.values()):
            if isinstance(answer, ReadList):
                of_resource = read.setdefault(answer.query.resource.name, {})
                of_resource |= {each.id: each for each in answer.records}
        found = {}
        for name, records in read.items():
            currencies = currencies_of(self.ctx, BY_NAME[name].endpoint, records.values())
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

    @property
    def currency(self) -> str:
        """The currency that the page shows; "" where none is known."""
        names = [name for name, _ in self.currencies]
        return self.chosen if self.chosen in names else next(iter(names), "")

    def money(self, resource: str) -> InCurrency:
        """The records of a resource by currency. Where no currency of theirs is known, all are
        shown whatever is chosen.
        """
        currencies, by_currency = self._by_currency.get(resource, (Currencies(), {}))
        shown = "" if list(by_currency) == [""] else self.currency
        names = {each.id: name for name, them in by_currency.items() for each in them}
        return InCurrency(
            names, shown, sum(bool(currencies.names.get(each)) for each in names), len(names)
        )


def coverage(reads: Sequence[ReadList], noun: str) -> list[str]:
    """Over which records a figure counts, in one sentence; none where there are no records."""
    count = sum(len(read.records) for read in reads)
    if all(read.is_whole for read in reads):
        return [f"All {count:,} {noun} were read."] if count else []
    totals = [read.rows.total for read in reads if read.rows.total is not None]
    of = f"; there are {sum(totals):,}" if len(totals) == len(reads) else ""
    return [f"Of the first {count:,} {noun}{of}."]


def counted(plural: str, count: int) -> str:
    """1 invoice, 2 invoices."""
    return f"{count:,} {plural.removesuffix('s') if count == 1 else plural}"
