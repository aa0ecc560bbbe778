"""Compares the sums of documents with what their file says, and lets the file's sums decide.

An amount that the file says (a claim) is never sent. What it is compared with (BASES), and whether
it stands once or in each line, counts for a whole column: as most documents agree.

Readings of columns with which more documents agree than with others are taken. Where several do, or
only one that neither heading nor cells suggest, the person is asked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import product
from math import prod
from typing import NamedTuple

from dashboard.documents.totals import ZERO, Totals
from dashboard.imports.questions import (
    DISCOUNT_UNIT,
    IDS,
    IS_CHARGE,
    NO,
    ROUNDING,
    TAX,
    TAX_ADDED,
    Codes,
    Place,
    Readings,
)
from dashboard.imports.targets import (
    CHARGE,
    CLAIM,
    FILE_TOTAL,
    LINE,
    LINE_TOTAL,
    OVERALL_DISCOUNT,
    PRICE,
    SUBTOTAL,
)
from dashboard.schema.money import write_money
from dashboard.text.style import Style

MAX_TRIALS = 64  # ways to read a sample of documents
Check = Callable[[Codes], Sequence["DocumentSums"]]
"""Returns the sums of the documents of a sample, read with these codes."""
BALANCE = f"{CLAIM}balance"


@dataclass(frozen=True)
class DocumentSums:
    """Our sums of a document and the amounts of its cells in columns of claims.

    `lines`: the same of each line, which has the number of its row. `gross`: the sum of prices that
    include the tax, None without such.
    """

    number: int
    label: str
    currency: str
    totals: Totals
    claims: Mapping[str, Sequence[Decimal]]
    lines: Sequence["DocumentSums"] = ()
    gross: Decimal | None = None

    @property
    def room(self) -> Decimal:
        """Return how far other rounding may go: of each line, and of its tax where that is taken
        out.
        """
        unit = self.totals.unit * len(self.totals.amounts)
        return unit / 2 if self.gross is None else unit


class Comparison(NamedTuple):
    """An amount that the file says, beside ours; `words` follow it on the page. `row`: of the
    line, 0 for the document.
    """

    claim: str
    claimed: Decimal
    ours: Decimal
    room: Decimal
    words: str
    row: int = 0

    @property
    def difference(self) -> Decimal:
        return self.ours - self.claimed

    @property
    def agrees(self) -> bool:
        """Return whether they are the same, or every line may have been rounded in another way."""
        return abs(self.difference) <= self.room

    def amounts(self, style: Style) -> tuple[str, str]:
        """Format what the file says, and ours."""
        place = f"in row {self.row}" if self.row else ""
        words = " ".join(filter(None, [write_money(self.claimed, style), self.words, place]))
        return words, write_money(self.ours, style)


class Basis(NamedTuple):
    """What a claim is compared with. `is_net`: only if the person says that tax is added."""

    amount: Callable[[Totals], Decimal]
    words: str = ""
    is_net: bool = False


_NET = Basis(lambda totals: totals.subtotal, "before tax")
_REDUCED = Basis(lambda totals: totals.subtotal - totals.discount, "before tax")
_TOTAL = Basis(lambda totals: totals.total)
BASES: Mapping[str, Sequence[Basis]] = {
    FILE_TOTAL: (_TOTAL, _NET._replace(is_net=True), _REDUCED._replace(is_net=True)),
    BALANCE: (_TOTAL,),
    SUBTOTAL: (_NET, _REDUCED),
    LINE_TOTAL: (_NET, Basis(lambda totals: totals.total + totals.discount)),
    f"{CLAIM}tax_amount": (Basis(lambda totals: sum(totals.taxes.values(), ZERO), "tax"),),
    CHARGE: (Basis(lambda totals: ZERO, "without a field"),),
}


def compare(
    documents: Iterable[DocumentSums], *, net: bool, exact: bool = False
) -> dict[int, list[Comparison]]:
    """Return what the file says of documents, by their numbers. net: a total may lack the tax.
    exact: a balance is the whole total, unless the document has a total, too.
    """
    found: dict[int, list[Comparison]] = {}
    for claim, bases in BASES.items():
        claiming = [document for document in documents if document.claims.get(claim)]
        ways = [
            [
                _comparisons(document, claim, basis, is_each=is_each, exact=exact)
                for document in claiming
            ]
            for basis in bases
            if net or not basis.is_net
            for is_each in (False, True)
        ]
        best = max(ways, key=_agreement)
        for document, each in zip(claiming, best, strict=True):
            found.setdefault(document.number, []).extend(each)
    return found


def _agreement(way: Sequence[Sequence[Comparison]]) -> tuple[int, int]:
    """Return how many documents agree, and how many as a whole."""
    return sum(map(all_agree, way)), sum(each[0].agrees for each in way)


def compare_gross(document: DocumentSums) -> Iterator[Comparison]:
    """Compare with the sum of prices that include the tax."""
    if document.gross is not None:
        total = document.totals.total
        yield Comparison(PRICE, document.gross, total, document.room, "in prices with tax")


def all_agree(comparisons: Iterable[Comparison]) -> bool:
    return all(each.agrees for each in comparisons)


def _comparisons(
    document: DocumentSums, claim: str, basis: Basis, *, is_each: bool, exact: bool
) -> list[Comparison]:
    """Compare a document with a claim that stands once, or with the sum of a claim and each line
    with its own, if all lines have one.
    """
    amounts, lines = document.claims[claim], document.lines if is_each else ()
    ours, room = basis.amount(document.totals), document.room
    if not lines or not all(line.claims.get(claim) for line in lines):
        claimed = sum(amounts, ZERO) if is_each else amounts[0]
        if claim == BALANCE and not (exact and claimed and FILE_TOTAL not in document.claims):
            ours = min(claimed, ours)  # a part may be paid
        return [Comparison(claim, claimed, ours, room, basis.words)]
    pairs = [(line.number, line.claims[claim][0], basis.amount(line.totals)) for line in lines]
    claimed, ours = sum((pair[1] for pair in pairs), ZERO), sum((pair[2] for pair in pairs), ZERO)
    return [
        Comparison(claim, claimed, ours, room, basis.words),
        *(Comparison(claim, said, own, room, basis.words, row) for row, said, own in pairs),
    ]


@dataclass(frozen=True)
class _Trial:
    """The documents of a sample with some codes. `net`: see `compare`."""

    codes: Codes
    documents: Sequence[DocumentSums]
    net: bool

    @property
    def comparisons(self) -> dict[int, list[Comparison]]:
        return compare(self.documents, net=self.net, exact=True)

    @cached_property
    def agreeing(self) -> int:
        """Return the number of documents that agree with all that the file says of them."""
        return sum(map(all_agree, self.comparisons.values()))

    @property
    def is_whole(self) -> bool:
        """Return whether all documents agree with a total that stands once."""
        comparisons = self.comparisons.values()
        return self.agreeing == len(comparisons) and all(
            [one.row for one in each if one.claim == FILE_TOTAL] == [0] for each in comparisons
        )


def decide(readings: Readings, check: Check) -> bool:
    """Settle open readings by the sums of the file, and open those that its sums contradict.
    Return whether any reading has changed.
    """
    places = {
        (index, kind): reading
        for index, kinds in readings.by_column.items()
        for kind, reading in kinds.items()
        if readings.columns[index].target.name.startswith((LINE, CLAIM, OVERALL_DISCOUNT))
        and not reading.answer
        and kind not in (IDS, ROUNDING, IS_CHARGE)
    }
    doubtful = [place for place, reading in places.items() if reading.is_doubtful]
    unlikely = [place for place in places if place[1] in (TAX, DISCOUNT_UNIT)]
    trials = _try(readings, doubtful, check)
    if _most(trials) < max(len(trial.documents) for trial in trials):
        wider = _try(readings, [*dict.fromkeys([*doubtful, *unlikely])], check)
        trials = max(trials, wider, key=_most)
    best = [trial for trial in trials if trial.agreeing == _most(trials) > 0]
    changed = False
    for place in trials[0].codes if best else ():
        codes = [*dict.fromkeys(trial.codes[place] for trial in best)]
        is_tax, is_claim = place[1] == TAX, readings.columns[place[0]].target.name.startswith(CLAIM)
        is_likely = place in doubtful or (codes[0] == places[place].code and not is_tax)
        is_settled = (is_likely and len(codes) == 1) or (is_claim and not is_tax)
        words = _explain(readings, place, trials)
        changed |= readings.settle(place, codes[0], certain=is_settled, explanation=words)
    if best and best[0].is_whole:
        charges = [index for index, kinds in readings.by_column.items() if IS_CHARGE in kinds]
        for index in charges:
            if readings.by_column[index][IS_CHARGE].is_open:
                changed |= readings.settle((index, IS_CHARGE), NO, certain=True)
    return changed


def _try(readings: Readings, places: Sequence[Place], check: Check) -> list[_Trial]:
    while prod(len(readings.codes(place)) for place in places) > MAX_TRIALS:
        places = places[:-1]
    ways, answer = product(*map(readings.codes, places)), readings.reading(TAX).answer
    all_codes = [dict(zip(places, way, strict=True)) for way in ways]
    return [
        _Trial(codes, check(codes), net=TAX_ADDED in (*codes.values(), answer))
        for codes in all_codes
    ]


def _most(trials: Iterable[_Trial]) -> int:
    return max(trial.agreeing for trial in trials)


def _explain(readings: Readings, place: Place, trials: Iterable[_Trial]) -> str:
    """Say what a document makes with each code, preferably one that tells the codes apart."""
    best = {trial.codes[place]: trial for trial in sorted(trials, key=lambda one: one.agreeing)}
    labels, style = readings.codes(place), readings.style
    by_number: dict[int, list[DocumentSums]] = {}
    for trial in best.values():
        for each in (one for one in trial.documents if one.claims):
            by_number.setdefault(each.number, []).append(each)
    documents = max(
        (each for each in by_number.values() if len(each) == len(best)),
        key=lambda each: len({one.totals.total for one in each}),
        default=None,
    )
    if documents is None:
        return ""
    words = " or ".join(
        f"{write_money(each.totals.total, style)} ({labels[code].lower()})"
        for code, each in zip(best, documents, strict=True)
    )
    first, *_ = next(iter(best.values())).comparisons[documents[0].number]
    claimed = write_money(first.claimed, style)
    return f"{documents[0].label} makes {words}. The file says {claimed}."
