"""Blocks and figures of a page: what its calls gave, each on its own, and words for days.

templates/pages/_block.html and _figures.html draw them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import NamedTuple

from dashboard.display import values
from dashboard.display.money import Sum, write_money
from dashboard.display.values import DisplayValue
from dashboard.gateway import GatewayError, Page
from dashboard.lists.table import LateCells
from dashboard.reader import listing
from dashboard.text.dates import format_date
from dashboard.text.style import Style
from dashboard.writes.failures import Failure, describe

ROWS = 5


class Figure(NamedTuple):
    """One value on top of a page. `stages`: how many there are, of which `done` are reached.
    `unit`: the name of the currency of an amount. `name`: of the field that it shows.
    """

    label: str
    value: DisplayValue
    note: str = ""
    is_late: bool = False
    is_partial: bool = False
    done: int = 0
    stages: int = 0
    unit: str = ""
    name: str = ""


class RowAction(NamedTuple):
    """What a key does with a row: opens a page, or posts a form of these hidden fields."""

    label: str
    key: str
    url: str
    fields: tuple[tuple[str, str], ...] = ()


class BlockRow(NamedTuple):
    """One record: its name, what it is about, a word on its time, an amount, and its actions."""

    name: DisplayValue
    about: DisplayValue = values.EMPTY
    time: str = ""
    late: bool = False
    amount: str = ""
    actions: tuple[RowAction, ...] = ()
    record_id: int = 0


@dataclass(frozen=True)
class Block:
    """A titled list of records. `figure`: its value on top of the page. `note`: what the block does
    not know. `failure`: why it, or a part of it, could not be read. `url`, `link`: all of them.
    `heads`: the heads of the columns, where they are shown. `late_cells`: the values that
    come after the page.
    """

    name: str
    title: str
    url: str = ""
    key: str = ""
    link: str = "All"
    count: str = ""
    amount_label: str = ""
    empty: str = ""
    heads: tuple[str, ...] = ()
    rows: tuple[BlockRow, ...] = ()
    figure: Figure | None = None
    note: str = ""
    failure: Failure | None = None
    late_cells: LateCells | None = None


class Trouble(NamedTuple):
    """What is said once above several blocks that could not be read. `reasons`: each reason with
    the titles of its blocks. `is_all`: no block could be read.
    """

    reasons: dict[str, list[str]]
    is_all: bool


def failed(block: Block, error: GatewayError) -> Block:
    """The block with the reason why it could not be read."""
    return replace(block, failure=describe(error), figure=not_read(block.title))


def not_read(label: str) -> Figure:
    """The figure of what could not be read."""
    return Figure(label, values.muted("not read"))


def trouble(blocks: Iterable[Block]) -> Trouble | None:
    """The reasons where several blocks could not be read; None where at most one could not."""
    all_blocks, reasons = list(blocks), dict[str, list[str]]()
    failures = [(each.failure, each.title) for each in all_blocks if each.failure]
    for failure, title in failures:
        reasons.setdefault(failure.title, []).append(title)
    return Trouble(reasons, len(failures) == len(all_blocks)) if len(failures) > 1 else None


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


def day(value: date, today: date) -> str:
    """The day in words: today, tomorrow, Fri 14 Mar; with its year where that is another one."""
    if value == today:
        return "today"
    if value == today + timedelta(days=1):
        return "tomorrow"
    words = format_date(value)
    return f"{value:%a} {words.removesuffix(f' {today.year}')}"


def days(count: int) -> str:
    """1 day, 2 days."""
    return f"{count:,} day{'s' * (count != 1)}"


def late_by(count: int) -> str:
    """2 days late."""
    return f"{days(count)} late"


def days_until(count: int) -> str:
    """The time until a day in words: in 9 days, today, 12 days ago."""
    if count < 0:
        return f"{days(-count)} ago"
    return f"in {days(count)}" if count else "today"
