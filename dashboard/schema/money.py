"""Amounts of money in their currencies, and their sums.

Lists of the API have no currency, whole records do. The currency of a row comes from the record, or
from the whole record if it was read in the last weeks (reader/lookups.py), or else from the
workspace if it has only one (office/reference_lists.py), which the first record that contradicts it
ends.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial

from dashboard.core.after_response import run_after_response
from dashboard.core.templates import address
from dashboard.gateway import Endpoint, Record
from dashboard.gateway.records import currency_id
from dashboard.office import reference_lists as catalogue
from dashboard.office.editing import note_currency
from dashboard.office.kinds import Kind
from dashboard.people.context import RequestContext
from dashboard.reader import lookups
from dashboard.text.numbers import write_amount
from dashboard.text.style import Style

# Currencies that do not have two decimal places (ISO 4217).
NONE = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
THREE = "BHD IQD JOD KWD LYD OMR TND"
PLACES = dict.fromkeys(NONE.split(), 0) | dict.fromkeys(THREE.split(), 3)


@dataclass(frozen=True)
class Sum:
    """The sum of an amount over records, one for each currency.

    parts: (currency, sum), the currency of most records first. The last one, "", is for records
    whose currency is not known. If at most one currency is known, and not for all records, one sum
    without a currency covers them all. known: how many of the `count` records have a known
    currency. with_amount: how many have an amount.
    """

    parts: tuple[tuple[str, Decimal], ...]
    known: int
    count: int
    with_amount: int

    @property
    def is_complete(self) -> bool:
        return self.with_amount == self.count

    @property
    def note(self) -> str:
        """Return the share of records with a known currency, in words; "" for all or none."""
        partly = 0 < self.known < self.count
        return f"currency known for {self.known:,} of {self.count:,}" if partly else ""

    def words(self, style: Style) -> str:
        """Return the sums with their currencies, such as "120.00 EUR + 3,000 JPY"."""
        words = self.amounts(style)
        return f"{words} ({self.note})" if self.note else words

    def amounts(self, style: Style) -> str:
        return " + ".join(write_money(amount, style, name) for name, amount in self.parts)


@dataclass(frozen=True)
class Total:
    """The sum of records in one currency, their number, and how many have no amount."""

    amount: Decimal
    count: int
    missing: int


def total_of(records: Collection[Record], field: str) -> Total:
    """Add up one field of records that share a currency."""
    amounts = [amount for each in records if isinstance(amount := each[field], Decimal)]
    return Total(sum(amounts, Decimal(0)), len(records), len(records) - len(amounts))


@dataclass(frozen=True)
class Currencies:
    """The currencies of the records of one list or panel.

    names: by the record's id, "" for one that is not known. common: the currency of all records, ""
    if they differ or one is not known.
    """

    names: Mapping[int, str] = field(default_factory=dict)
    common: str = ""

    def of(self, record: Record, ctx: RequestContext) -> str:
        """Return the currency of a record, which may be none of these; "" if it is not known."""
        name = self.names.get(record.id)
        return currency_of(record, ctx) if name is None else name

    def amount(self, record: Record, name: str, style: Style) -> str:
        """Return an amount of a record, without the common currency, which stands above; "" for
        none.
        """
        amount, currency = record.get(name), self.names.get(record.id, "")
        if not isinstance(amount, Decimal):
            return ""
        return write_money(amount, style, currency, is_shown=currency != self.common)

    def among(self, records: Iterable[Record]) -> "Currencies":
        """Restrict to these records, which may have a currency in common."""
        different = {self.names.get(each.id, "") for each in records} or {self.common}
        return replace(self, common=different.pop() if len(different) == 1 else "")

    def grouped(self, records: Collection[Record]) -> dict[str, list[Record]]:
        """Group records by currency, the currency of most records first. "", for those whose
        currency is not known, comes last. If at most one currency is known, and not for all
        records, "" has all of them.
        """
        names = {each.id: self.names.get(each.id, "") for each in records}
        if "" in (known := set(names.values())) and len(known) <= 2:
            names = dict.fromkeys(names, "")
        counts = Counter(names.values())
        order = sorted(counts, key=lambda name: (not name, -counts[name], name))
        return {name: [each for each in records if names[each.id] == name] for name in order}

    def main(self, records: Collection[Record]) -> tuple[str, list[Record]]:
        """Return the currency of most records, and its records. Only these are drawn."""
        return next(iter(self.grouped(records).items()), ("", []))

    def main_amounts(self, groups: Collection[Collection[Record]], name: str) -> list[Decimal]:
        """Add up an amount of each group, in the currency of most of all records."""
        _, members = self.main([each for group in groups for each in group])
        ids = {each.id for each in members}
        return [
            total_of([each for each in group if each.id in ids], name).amount for group in groups
        ]

    def total(self, records: Collection[Record], name: str) -> Sum:
        groups = self.grouped(records).items()
        totals = [(currency, total_of(members, name)) for currency, members in groups]
        parts = tuple((currency, total.amount) for currency, total in totals)
        known = sum(bool(self.names.get(each.id)) for each in records)
        with_amount = sum(total.count - total.missing for _, total in totals)
        return Sum(parts or ((self.common, Decimal(0)),), known, len(records), with_amount)


def currencies_of(ctx: RequestContext, endpoint: Endpoint, records: Iterable[Record]) -> Currencies:
    """Return the currencies of records of one endpoint, without a call of the service."""
    records = list(records)
    own = {each.id: code for each in records if (code := currency_id(each))}
    others = [each.id for each in records if each.id not in own]
    codes = {**lookups.currencies(ctx.gateway, endpoint, others), **own}
    is_foreign = partial(catalogue.is_foreign, ctx.workspace)
    foreign = next((number for number, code in codes.items() if is_foreign(code)), None)
    if foreign is not None:
        url, code = address(endpoint.name, foreign), codes[foreign]
        run_after_response(note_currency, workspace=ctx.workspace, code=code, url=url)
    only = "" if foreign is not None else catalogue.only_currency(ctx.workspace)
    names = {number: _name(ctx, code) for number, code in codes.items()}
    return Currencies({**dict.fromkeys(others, only), **names}, only).among(records)


def currency_of(record: Record, ctx: RequestContext) -> str:
    """Return the currency name of a whole record, else the workspace's only one; "" for none."""
    code = currency_id(record)
    return _name(ctx, code) if code else catalogue.only_currency(ctx.workspace)


def write_money(amount: Decimal, style: Style, currency: str = "", *, is_shown: bool = True) -> str:
    """Format an amount with the decimal places of its currency; `is_shown` adds its name."""
    words = write_amount(amount, style, _places(currency))
    return f"{words} {currency}" if currency and is_shown else words


def smallest_unit(currency: str) -> Decimal:
    """Return the smallest amount of a currency; 0.01 if it is not known."""
    return Decimal(1).scaleb(-_places(currency))


def _places(currency: str) -> int:
    return PLACES.get(currency.upper(), 2)


def _name(ctx: RequestContext, code: int) -> str:
    entry = catalogue.entry(ctx.workspace, Kind.CURRENCY, code)
    return entry.name if entry else f"currency {code}"
