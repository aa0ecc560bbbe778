"""Pastes cells of a spreadsheet into lines, rightward and downward from the focused cell.

Pasted numbers may be written the other way: one button reads whole columns of them so. Beside the
columns that a person's style cannot read, those are offered whose numbers have two meanings in it,
such as "1.234" where the point is the decimal mark.
"""

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from dashboard.documents.lines import (
    MOST_LINES,
    NUMBERS,
    DocumentLine,
    blank_line,
    next_key,
    split_discount,
)
from dashboard.documents.price_list import PriceList
from dashboard.documents.validation import complete_lines, unreadable_cells
from dashboard.tables import headings
from dashboard.tables.columns import MARK, BetterFormat, better_formats, number_of, parses
from dashboard.text.numbers import read_number, write_number
from dashboard.text.style import MARKS, NotReadable, Style

MOST_CELLS = 5_000
RIGHTWARD = ("item_name", "quantity", "price", "discount", "tax_rate", "description")
NOT_PASTED = ("type", "discount_type")
_NAMES = {
    word: name
    for word, name in headings.names_by_word(headings.LINES).items()
    if name not in NOT_PASTED
}


@dataclass
class PasteResult:
    """The result of a paste: the rows with it, the columns used, and the problems.

    `columns`: (pasted heading, field name or ""). `pasted`: the rows that took cells; what does not
    match the lists or is no number is in their errors. `problems`: messages about what is left out.
    """

    rows: list[DocumentLine]
    columns: list[tuple[str, str]]
    pasted: list[DocumentLine] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> DocumentLine | None:
        """The first pasted line with an error."""
        return next((row for row in self.pasted if row.errors), None)

    @property
    def wrong_count(self) -> int:
        """How many of the pasted lines have an error."""
        return sum(bool(row.errors) for row in self.pasted)


def parse_cells(text: str) -> list[list[str]]:
    """The pasted cells by row; the separator is a tab, or a semicolon if there is no tab."""
    text = text.replace("\0", "")
    mark = "\t" if "\t" in text or ";" not in text else ";"
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    cells = [[cell.strip() for cell in row] for row in rows if any(cell.strip() for cell in row)]
    return [row[:30] for row in cells[: MOST_CELLS // 10]]


def paste_cells(
    rows: Sequence[DocumentLine],
    text: str,
    *,
    at: int | None,
    column: str,
    price_list: PriceList,
    style: Style,
) -> PasteResult:
    """The rows with the cells pasted from line `at` and `column` on.

    `at`: a line's key; None pastes after the last line that is not blank. A first row of headings
    selects the columns instead.
    """
    columns, body = _columns(parse_cells(text), column)
    copied = [DocumentLine(row.key, dict(row.cells)) for row in rows]
    place = _place(copied, at)
    result = PasteResult(copied, columns)
    for number, values in enumerate(body):
        if place + number >= MOST_LINES:
            result.problems.append(f"{len(body) - number} rows more than {MOST_LINES} lines.")
            break
        row = _row_at(copied, place + number)
        fill_line(row, columns, values, price_list, style)
        row.errors, row.pasted = mismatches(row, price_list, style), True
        result.pasted.append(row)
    result.problems += [
        f"The column “{title}” was not used." for title, n in result.columns if not n
    ]
    return result


def _columns(cells: list[list[str]], first: str) -> tuple[list[tuple[str, str]], list[list[str]]]:
    """The columns as (heading, field name), and the rows below the headings.

    Without headings the fields are those from `first` on.
    """
    names = _headings(cells[0]) if cells else []
    if any(names):
        return list(zip(cells[0], names, strict=True)), cells[1:]
    width = max((len(row) for row in cells), default=0)
    return [("", name) for name in _rightward(first, width)], cells


def _headings(row: Sequence[str]) -> list[str]:
    """The field of each heading; all "" if fewer than half of the cells are known headings."""
    names = [_NAMES.get(headings.plain(cell), "") for cell in row]
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            names[index] = ""
        seen.add(name)
    return names if sum(map(bool, names)) * 2 >= len(row) else [""] * len(row)


def _rightward(column: str, count: int) -> list[str]:
    first = RIGHTWARD.index(column) if column in RIGHTWARD else 0
    names = list(RIGHTWARD[first : first + count])
    return names + [""] * (count - len(names))


def _place(rows: Sequence[DocumentLine], at: int | None) -> int:
    here = next((index for index, row in enumerate(rows) if row.key == at), None)
    if here is not None:
        return here
    return max((index for index, row in enumerate(rows) if not row.blank), default=-1) + 1


def _row_at(rows: list[DocumentLine], place: int) -> DocumentLine:
    while len(rows) <= place:
        rows.append(blank_line(next_key(rows)))
    return rows[place]


def fill_line(
    row: DocumentLine,
    columns: Sequence[tuple[str, str]],
    values: Sequence[str],
    price_list: PriceList,
    style: Style,
) -> None:
    """Fill a line with cells, and complete it from the price list. `columns`: as of PasteResult."""
    given = {
        name: f"{value} %" if name == "discount" and "%" in title and "%" not in value else value
        for (title, name), value in zip(columns, values, strict=False)
        if name and value
    }
    if "item_name" in given:
        row.cells["item_id"] = ""  # it was that of the previous item
    if tax := price_list.tax(given.get("tax_id", "")):
        given["tax_id"] = tax.id
    if "tax_rate" in given:
        given["tax_rate"] = given["tax_rate"].removesuffix("%").strip()
        given.setdefault("tax_id", tax_of(given["tax_rate"], price_list, style))
    if "discount" in given:
        given["discount"], given["discount_type"] = split_discount(
            given["discount"], given.get("discount_type")
        )
    row.cells.update(given)
    complete_lines([row], price_list, style)


def tax_of(rate: str, price_list: PriceList, style: Style) -> str:
    """The id of the only tax that has this rate; "" without one."""
    try:
        tax = price_list.tax("", read_number(rate, style))
    except NotReadable:
        return ""
    return tax.id if tax else ""


def mismatches(row: DocumentLine, price_list: PriceList, style: Style) -> dict[str, str]:
    """The messages about cells that do not match the lists or are no numbers, by cell."""
    cells, problems = row.cells, {}
    if cells["item_name"] and not cells["item_id"]:
        problems["item_id"] = (
            f"Unknown item “{cells['item_name']}”. Choose one, or enter its item number."
        )
    if price_list.taxes and cells["tax_id"] and cells["tax_id"] not in price_list.taxes:
        problems["tax_id"] = f"There is no tax “{cells['tax_id']}”."
    return problems | unreadable_cells(row, style)


def number_ways(rows: Sequence[DocumentLine], style: Style) -> list[BetterFormat]:
    """The decimal marks with which pasted lines should be read: the best of each column with a
    number that cannot be read.
    """
    cells = Counter(
        mark
        for name in NUMBERS
        for mark in _best_marks(rows, name)
        for row in rows
        if name in unreadable_cells(row, style) and parses(MARK, row.cells[name], mark)
    )
    return [BetterFormat(mark, MARKS[mark], cells[mark]) for mark in MARKS if cells[mark]]


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
    return [way.code for way in better_formats(MARK, [row.cells[name] for row in rows])]


def _rewrite(
    rows: Iterable[DocumentLine], name: str, mark: str, price_list: PriceList, style: Style
) -> None:
    for row in rows:
        if not parses(MARK, row.cells[name], mark):
            continue
        row.cells[name] = write_number(number_of(row.cells[name], mark), style)
        if name == "tax_rate" and not row.cells["tax_id"]:
            row.cells["tax_id"] = tax_of(row.cells[name], price_list, style)
