"""Charts as plain data: bars, columns, strips of parts, and the table of the same values.

Positions across are per cent and heights are px, so that a drawing fits any width and its letters
keep their size. templates/schema/_charts.html draws them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from dashboard.schema import values
from dashboard.schema.money import Total, write_money
from dashboard.schema.values import DisplayValue
from dashboard.tables.writing import CellValue
from dashboard.text.numbers import write_number
from dashboard.text.style import Style

TALL = 100  # px of the highest column
ABOVE, BELOW = 22, 24  # px for the value above a column and the label below it
FILLED = Decimal("0.62")  # of the width of its place that a column fills
MIN_SHARE = Decimal("0.14")  # of the width of a strip, in which the words of a part fit
UNITS = (("tn", 12), ("bn", 9), ("M", 6), ("k", 3))


class Segment(NamedTuple):
    """A part of a bar, in per cent of the width. `tone`: its class in site.css."""

    x: str
    width: str
    tone: str


class Bar(NamedTuple):
    """A row: its name, its bar, and the values beside it."""

    name: DisplayValue
    segments: tuple[Segment, ...]
    values: tuple[str, ...]


class SumRow(NamedTuple):
    """The sum of some records: their label, the URL of their list ("" for none), and a tone."""

    label: str
    url: str
    tone: str
    sum: Total

    @property
    def name(self) -> DisplayValue:
        return values.link(self.url, self.label) if self.url else values.text(self.label)


class Item(NamedTuple):
    """The data of one column. `title`: its text for screen readers. `before`: the value of a line
    drawn over the column. due: the part of the value that is drawn on top in another tone.
    """

    label: str
    value: Decimal
    words: str
    title: str
    url: str = ""
    tone: str = "b0"
    before: Decimal | None = None
    due: Decimal = Decimal(0)


class DrawnColumn(NamedTuple):
    """A column: the position of its link, of itself, and of its value and line."""

    item: Item
    place: str
    place_width: str
    x: str
    width: str
    middle: str
    y: str
    height: str
    value_y: str
    line_y: str
    due_height: str


class Columns(NamedTuple):
    """Columns on one baseline. Heights in px."""

    columns: tuple[DrawnColumn, ...]
    height: int
    base: int


class Part(NamedTuple):
    """A part of a strip: its position, label, value as text, and the URL of its records."""

    segment: Segment
    label: str
    words: str
    url: str = ""


class Cell(NamedTuple):
    """A cell of a table: its text on a page, and its value in a file."""

    shown: DisplayValue
    value: CellValue


class Table(NamedTuple):
    """The values of a figure; the first cell of each row is its head. `total`: its last row."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Picture:
    """The drawing above the rows of a panel: columns, or one strip of parts. `title`: of the table
    of the same values, for screen readers. marks: the tones with their labels.
    """

    title: str
    table: Table
    columns: Columns | None = None
    strip: tuple[Part, ...] = ()
    marks: tuple[tuple[str, str], ...] = ()


Numbers = tuple[DisplayValue, Sequence[int | Decimal]]  # a row of a table: its name and the rest


def segments(parts: Iterable[tuple[str, Decimal]], top: Decimal) -> tuple[Segment, ...]:
    """Return the parts of a bar, given as tones and amounts; a bar of `top` takes the whole width.
    A negative amount has no width.
    """
    found, at = [], Decimal(0)
    for tone, amount in parts:
        if amount > 0 and top > 0:
            found.append(Segment(percent(at, top), percent(amount, top), tone))
            at += amount
    return tuple(found)


def strip(parts: Iterable[tuple[str, str, Decimal, str, str]]) -> tuple[Part, ...]:
    """Arrange parts, given as (tone, label, value, text, URL), as one strip, without those of no
    value. One is drawn as wide as its label; the others share what is left.
    """
    drawn = [part for part in parts if part[2] > 0]
    whole = sum((value for _, _, value, _, _ in drawn), Decimal(0))
    least = min(MIN_SHARE, Decimal(1) / max(len(drawn), 1))
    shares = [max(value / whole, least) for _, _, value, _, _ in drawn]
    spare = sum(each - least for each in shares)
    free = 1 - least * len(drawn)
    if spare:
        shares = [least + (each - least) / spare * free for each in shares]
    placed = segments(zip((tone for tone, *_ in drawn), shares, strict=True), Decimal(1))
    return tuple(
        Part(segment, label, words, url)
        for segment, (_, label, _, words, url) in zip(placed, drawn, strict=True)
    )


def highest(numbers: Iterable[Decimal]) -> Decimal:
    return max([*numbers, Decimal(0)])


def columns(items: Sequence[Item], tall: int = TALL) -> Columns:
    every = [item.value for item in items] + [item.before or Decimal(0) for item in items]
    top = highest(every) or Decimal(1)
    base = ABOVE + tall
    step = Decimal(1) / max(len(items), 1)

    def column(at: int, item: Item) -> DrawnColumn:
        height = tall * max(item.value, Decimal(0)) / top
        raised = max(height, tall * max(item.before or Decimal(0), Decimal(0)) / top)
        start = at * step
        return DrawnColumn(
            item,
            percent(start, 1),
            percent(step, 1),
            percent(start + step * (1 - FILLED) / 2, 1),
            percent(step * FILLED, 1),
            percent(start + step / 2, 1),
            px(base - height),
            px(height),
            px(base - raised - 6),
            "" if item.before is None else px(base - tall * max(item.before, Decimal(0)) / top),
            px(min(height, tall * item.due / top)) if item.due > 0 else "",
        )

    drawn = tuple(column(at, item) for at, item in enumerate(items))
    return Columns(drawn, base + BELOW, base)


def percent(part: Decimal, whole: Decimal | int) -> str:
    """Format the share as a CSS percentage such as 12.50%."""
    return f"{100 * part / whole:.2f}%"


def px(number: Decimal) -> str:
    return f"{number:.1f}"


def short_amount(amount: Decimal, style: Style) -> str:
    """Format an amount to fit above a column: 940, 14.6k, 128k, 1.2M."""
    for unit, power in UNITS:
        if abs(amount) >= Decimal(10) ** power:
            scaled = amount.scaleb(-power)
            places = Decimal("0.1") if abs(scaled) < 100 else Decimal(1)
            scaled = scaled.quantize(places, ROUND_HALF_UP)
            return f"{write_number(scaled, style, grouped=True)}{unit}"
    return write_number(amount.quantize(Decimal(1), ROUND_HALF_UP), style, grouped=True)


def table(heads: Sequence[str], rows: Iterable[Numbers], style: Style, currency: str = "") -> Table:
    """Rows of a name and numbers, with their sum below. An int is a count; other numbers are
    amounts in the currency, which stands above the table.
    """

    def cell(number: int | Decimal) -> Cell:
        if isinstance(number, int):
            return Cell(values.text(f"{number:,}"), Decimal(number))
        return Cell(values.text(write_money(number, style, currency, is_shown=False)), number)

    rows = list(rows)
    sums = [sum(column) for column in zip(*(numbers for _, numbers in rows), strict=True)]
    made = tuple((Cell(name, name.text), *map(cell, numbers)) for name, numbers in rows)
    return Table(tuple(heads), made, (Cell(values.text("All"), "All"), *map(cell, sums)))
