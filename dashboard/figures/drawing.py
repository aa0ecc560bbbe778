"""One figure of the page Figures. What it draws is in dashboard/display/charts.py."""

from dataclasses import dataclass
from typing import NamedTuple

from dashboard.display.charts import Bar, Columns, Table
from dashboard.writes.failures import Failure


class Rest(NamedTuple):
    """What was not read: the name of the list to read to its end, or the page of the job that
    reads it.
    """

    words: str
    name: str = ""
    url: str = ""


@dataclass(frozen=True)
class Figure:
    """One figure of the page. total: what stands beside its title; unit: its currency; late: the
    part of it that is overdue. notes: over which records it counts, in sentences. bars, columns
    or series (one row of columns each, under the same `labels`): what is drawn. marks: the tones
    with their words.
    """

    name: str
    title: str
    url: str = ""
    link: str = ""
    total: str = ""
    unit: str = ""
    late: str = ""
    is_partial: bool = False
    beside: str = ""
    marks: tuple[tuple[str, str], ...] = ()
    heads: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    columns: Columns | None = None
    series: tuple[tuple[str, Columns, str], ...] = ()
    labels: tuple[str, ...] = ()
    table: Table | None = None
    empty: str = ""
    notes: tuple[str, ...] = ()
    rest: tuple[Rest, ...] = ()
    failure: Failure | None = None
