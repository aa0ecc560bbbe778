"""Pasted numbers that are written the other way: one button reads whole columns of them so.

Beside the columns that a person's style cannot read, those are offered whose numbers have two
meanings in it, such as "1.234" where the point is the decimal mark.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboard.documents.lines import NUMBERS, DocumentLine
from dashboard.documents.paste import PasteResult, mismatches, tax_of
from dashboard.documents.price_list import PriceList
from dashboard.documents.validation import unreadable_cells
from dashboard.tables.columns import MARK, WAYS, can_read, readable
from dashboard.tables.numbers import number_of
from dashboard.text.numbers import write_number
from dashboard.text.style import MARKS, Style


@dataclass(frozen=True)
class NumberWay:
    """A decimal mark with which `cells` more of the pasted cells can be read, like `such_as`."""

    mark: str
    such_as: str
    cells: int


def number_ways(rows: Sequence[DocumentLine], style: Style) -> list[NumberWay]:
    """The marks with which pasted lines should be read: the best of each column with a number that
    cannot be read.
    """
    found = dict.fromkeys(MARKS, 0)
    wrong = [unreadable_cells(row, style) for row in rows]
    for name in NUMBERS:
        cells = [row.cells[name] for row, errors in zip(rows, wrong, strict=True) if name in errors]
        for mark in _best_marks(rows, name) if cells else ():
            found[mark] += sum(can_read(MARK, cell, mark) for cell in cells)
    return [NumberWay(mark, MARKS[mark], cells) for mark, cells in found.items() if cells]


def read_numbers(
    rows: Iterable[DocumentLine],
    keys: Collection[str],
    mark: str,
    *,
    price_list: PriceList,
    style: Style,
) -> PasteResult:
    """The rows, of which those with these keys were pasted: the columns that cannot be read are
    read with this mark, and written in the person's style.
    """
    copied = [DocumentLine(row.key, dict(row.cells)) for row in rows]
    pasted = [row for row in copied if str(row.key) in keys]
    names = {name for row in pasted for name in unreadable_cells(row, style)}
    for name in names:
        if mark in _best_marks(pasted, name):
            _rewrite(pasted, name, mark, price_list, style)
    for row in pasted:
        row.errors, row.pasted = mismatches(row, price_list, style), True
    return PasteResult(copied, [], pasted)


def _best_marks(rows: Iterable[DocumentLine], name: str) -> list[str]:
    """The marks that read most cells of a column, if they read any."""
    read: Mapping[str, int] = readable(MARK, [row.cells[name] for row in rows if row.cells[name]])
    most = max(read.values())
    return [mark for mark in WAYS[MARK] if most and read[mark] == most]


def _rewrite(
    rows: Iterable[DocumentLine], name: str, mark: str, price_list: PriceList, style: Style
) -> None:
    for row in rows:
        if not can_read(MARK, row.cells[name], mark):
            continue
        row.cells[name] = write_number(number_of(row.cells[name], mark), style)
        if name == "tax_rate" and not row.cells["tax_id"]:
            row.cells["tax_id"] = tax_of(row.cells[name], price_list, style)
