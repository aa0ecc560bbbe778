"""One figure of the page Figures. What it draws is in dashboard/display/charts.py."""

from dataclasses import dataclass

from dashboard.display.charts import Bar, Columns, Table
from dashboard.writes.failures import Failure


@dataclass(frozen=True)
class Figure:
    """One figure of the page. total: what stands beside its title; unit: its currency; late: the
    part of it that is overdue. notes: over which records it counts, in sentences. bars or columns:
    what is drawn. marks: the tones with their words. switch: words and address of each pipeline,
    and whether it is the present one.
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
    bars: tuple[Bar, ...] = ()
    columns: Columns | None = None
    table: Table | None = None
    empty: str = ""
    notes: tuple[str, ...] = ()
    switch: tuple[tuple[str, str, bool], ...] = ()
    failure: Failure | None = None
