"""Blocks and figures of a page: what its calls gave, each on its own.

templates/pages/_block.html and _figures.html draw them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from dashboard.declare.resource import RowAction
from dashboard.display import values
from dashboard.display.charts import Picture, Segment
from dashboard.display.money import Sum, write_money
from dashboard.display.values import DisplayValue
from dashboard.gateway import GatewayError, Page
from dashboard.lists.table import LateCells
from dashboard.reader import listing
from dashboard.text.style import Style
from dashboard.writes.failures import Failure, describe

ROWS = 5


class Figure(NamedTuple):
    """One value on top of a page. `unit`: the name of the currency of an amount. `name`: of the
    field that it shows. `field_url`: the address of the form that changes the field alone, ""
    where there is none. `late`: the part of it that is late, in words.
    """

    label: str
    value: DisplayValue
    note: str = ""
    is_late: bool = False
    is_partial: bool = False
    unit: str = ""
    name: str = ""
    field_url: str = ""
    late: str = ""


class BlockRow(NamedTuple):
    """One record: its name, what it is about, a word on its time with a note below it and the `day`
    before it where there is room, an amount, which a bar may show beside the others, its actions.
    `whole`: what the amount is a part of. `tick`: of a thing to do, what completes it.
    """

    name: DisplayValue
    about: DisplayValue = values.EMPTY
    time: str = ""
    late: bool = False
    amount: str = ""
    actions: tuple[RowAction, ...] = ()
    record_id: int = 0
    note: str = ""
    bar: tuple[Segment, ...] = ()
    whole: str = ""
    tick: RowAction | None = None
    day: str = ""


@dataclass(frozen=True)
class Block:
    """A titled list of records. `figure`: its leading value, and `picture`: what is drawn of it.
    `note`: what the block does not know. `failure`: why it, or a part of it, could not be read.
    `url`, `link`: all of them. `heads`: the heads of the columns, where they are shown.
    `late_cells`: the values that come after the page.
    """

    name: str
    title: str
    url: str = ""
    key: str = ""
    link: str = "View all"
    count: str = ""
    amount_label: str = ""
    empty: str = ""
    heads: tuple[str, ...] = ()
    rows: tuple[BlockRow, ...] = ()
    figure: Figure | None = None
    picture: Picture | None = None
    note: str = ""
    failure: Failure | None = None
    late_cells: LateCells | None = None


class Trouble(NamedTuple):
    """What is said once above the blocks of a page. `reasons`: where several could not be read,
    each reason with the titles of its blocks. `connect`: one of them is about the API keys.
    `number`: of all blocks.
    """

    reasons: dict[str, list[str]]
    connect: bool
    number: int

    @property
    def is_rest_complete(self) -> bool:
        """Whether a part of the page was read."""
        return sum(map(len, self.reasons.values())) < self.number


def view_all(count: int | str, noun: str = "") -> str:
    """The words of a link to all of a block, such as "View all 14 invoices". `count`: how many, or
    "" and 1 for none that is worth saying.
    """
    number = f"{count:,}" if isinstance(count, int) else count
    return " ".join(filter(None, ("View all", number if number not in ("0", "1") else "", noun)))


def failed(block: Block, error: GatewayError) -> Block:
    """The block with the reason why it could not be read."""
    return replace(block, failure=describe(error))


def not_read(label: str) -> Figure:
    """The figure of what could not be read."""
    return Figure(label, values.muted("not read"))


def trouble(blocks: Iterable[Block]) -> Trouble:
    """What is said above these blocks: no reasons where at most one could not be read, which says
    so itself. One reason for each status, as a service that is away says so in several ways.
    """
    all_blocks, reasons, by_status = list(blocks), dict[str, list[str]](), dict[int, str]()
    failures = [(each.failure, each.title) for each in all_blocks if each.failure]
    said = failures if len(failures) > 1 else []
    for failure, title in said:
        reason = by_status.setdefault(failure.status, failure.title)
        reasons.setdefault(reason, []).append(title)
    connect = any(failure.connect for failure, _ in said)
    return Trouble(reasons, connect, len(all_blocks))


def is_complete(page: Page) -> bool:
    """Whether the first page of a list holds all records that there are."""
    is_read = not page.unreadable_rows and len(page.records) >= (page.total_records or 0)
    return is_read and listing.is_last(page)


def read_of(page: Page) -> str:
    """How many of how many were read, such as "32 of 219"; "32" where the service says no total."""
    of = "" if page.total_records is None else f" of {page.total_records:,}"
    return f"{len(page.records):,}{of}"


def sum_figure(
    label: str, total: Sum, style: Style, *, note: str, is_partial: bool = False
) -> Figure:
    """The figure of a sum in the currency of most records; those in others stand in its note. It
    is partial, too, where not every record says its amount.
    """
    if total.count and not total.told:
        return Figure(label, values.text("not known"), note)
    (unit, amount), *others = total.parts
    also = [f"and {write_money(amount, style, currency)}" for currency, amount in others]
    words = ", ".join(filter(None, [*also, note, total.note]))
    shown = values.text(write_money(amount, style, unit, is_shown=False))
    return Figure(label, shown, words, is_partial=is_partial or not total.is_complete, unit=unit)
