"""What a block of the page Today is made of, and its words for days."""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import NamedTuple

from dashboard.gateway import CONTACTS, GatewayError
from dashboard.records.display import cells, values
from dashboard.records.display.values import DisplayValue
from dashboard.records.pages.failures import Failure, describe
from dashboard.records.parsing.dates import format_date

ROWS = 5
SOON = 7  # days
CUSTOMER = cells.pointer(CONTACTS, "customer_id")
CONTACT = cells.pointer(CONTACTS, "cstid")


class TodayRow(NamedTuple):
    """One record: its name, what it is about, a word on its time, an amount, and a new task."""

    name: DisplayValue
    about: DisplayValue = values.EMPTY
    time: str = ""
    late: bool = False
    amount: str = ""
    task_url: str = ""


@dataclass(frozen=True)
class Block:
    """A titled list of records. `figure`, `figure_note`: the sum and its explanation on top of the
    page; `is_partial`: not all was read, so the figure is the least that it can be. `note`: what
    the block does not know. `failure`: why it could not be read.
    """

    name: str
    title: str
    url: str
    key: str = ""
    count: str = ""
    amount_label: str = ""
    empty: str = ""
    rows: tuple[TodayRow, ...] = ()
    figure: str = ""
    figure_note: str = ""
    is_late: bool = False
    is_partial: bool = False
    note: str = ""
    failure: Failure | None = None


def failed(block: Block, error: GatewayError) -> Block:
    """The block with the reason why it could not be read."""
    return replace(block, failure=describe(error))


def day(value: date, today: date) -> str:
    """The day in words: today, tomorrow, Fri 14 Mar 2026."""
    if value == today:
        return "today"
    return "tomorrow" if value == today + timedelta(days=1) else f"{value:%a} {format_date(value)}"


def days(count: int) -> str:
    """1 day, 2 days."""
    return f"{count:,} day{'s' * (count != 1)}"


def late_by(count: int) -> str:
    """2 days late."""
    return f"{days(count)} late"
