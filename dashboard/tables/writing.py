"""Writes rows as CSV text, some hundreds at a time, so that memory does not grow with them.

No text acts as a formula: see `cells.guarded`.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from dashboard.text.dates import write_date
from dashboard.text.style import POINT, YEAR_FIRST

from .cells import Cell, cell_text, guarded, storable

_CHUNK = 200  # rows
Written = Cell | None


@dataclass(frozen=True)
class TextFormat:
    """How CSV is written; by default with commas and ISO dates, for programs and spreadsheets."""

    separator: str = ","
    mark: str = POINT
    order: str = YEAR_FIRST
    byte_order_mark: bool = True


INTERCHANGE = TextFormat()


def write_csv(
    rows: Iterable[Sequence[Written]], style: TextFormat = INTERCHANGE
) -> Iterator[bytes]:
    """The rows as UTF-8, some hundreds in each chunk. Datetimes are written without their zone."""
    lines: list[str] = []
    writer = csv.writer(_Lines(lines), delimiter=style.separator)
    if style.byte_order_mark:
        yield "\ufeff".encode()
    for row in rows:
        writer.writerow([_csv_text(cell, style) for cell in row])
        if len(lines) >= _CHUNK:
            yield "".join(lines).encode()
            lines.clear()
    if lines:
        yield "".join(lines).encode()


class _Lines:
    """A file for `csv.writer` that collects the lines in a list."""

    def __init__(self, lines: list[str]) -> None:
        self.write = lines.append


def _csv_text(value: Written, style: TextFormat) -> str:
    if isinstance(value, Decimal) and value.is_finite():
        return f"{value:f}".replace(".", style.mark)
    if isinstance(value, datetime):
        return f"{write_date(value, style.order)} {value:%H:%M:%S}"
    if isinstance(value, date):
        return write_date(value, style.order)
    return guarded(text_of(value))


def text_of(value: Written) -> str:
    """A cell as a text that any file can hold."""
    return "" if value is None else storable(cell_text(value))
