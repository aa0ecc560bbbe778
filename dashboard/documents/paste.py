"""Pastes cells of a spreadsheet into lines, rightward and downward from the focused cell. Totals in
the cells are never taken; each is compared with what its line makes.

Pasted numbers may be written the other way: one button reads whole columns of them so. Beside the
columns that a person's style cannot read, those are offered whose numbers have two meanings in it,
such as "1.234" where the point is the decimal mark.

static/js/lines/changes.js adds, moves and removes lines, and undoes all of it.
"""

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dashboard.documents.form import DocumentForm
from dashboard.documents.lines import (
    MAX_KEY,
    MAX_LINES,
    NO_UNIT,
    NUMBERS,
    OTHER_ITEM,
    TAXES,
    UNITS,
    DocumentLine,
    blank_line,
    filled_lines,
    next_key,
    pad_with_blank_lines,
    tax_of,
)
from dashboard.documents.price_list import PriceList
from dashboard.documents.totals import FIXED, add_up
from dashboard.gateway import whole_number
from dashboard.schema.money import smallest_unit
from dashboard.tables import headings
from dashboard.tables.cells import why_unreadable
from dashboard.text.amounts import is_other_currency, parse_amount
from dashboard.text.numbers import write_number
from dashboard.text.plain import cleaned
from dashboard.text.style import MARKS, Style

READ_LIKE = "paste-like-"  # of a button; followed by a decimal mark
MAX_ROWS, MAX_COLUMNS = 500, 30
RIGHTWARD = ("item_name", "quantity", "price", "discount", "tax_rate", "description")
NOT_PASTED = ("type", "discount_type")
TOTAL = "total"  # in place of the name of a cell
_NAMES = {
    word: TOTAL
    for word, name in headings.names_by_word(headings.CLAIMS).items()
    if name in ("total", "subtotal", "line_total")
} | {
    word: name
    for word, name in headings.names_by_word(headings.LINES).items()
    if name not in NOT_PASTED
}


class BetterFormat(NamedTuple):
    """A decimal mark with which `cells` more cells can be read."""

    code: str
    example: str
    cells: int


@dataclass
class LineEdit:
    """The result of a button: the lines after it and a `message`.

    pasted: the lines that took cells; what does not match the lists or the totals, or is no number,
    is in their errors. totals: the amounts in the cells, by the keys of the lines. problems:
    messages about what is left out. suggestions: how the numbers can be read.
    """

    lines: list[DocumentLine]
    message: str = ""
    pasted: list[DocumentLine] = field(default_factory=list)
    totals: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    suggestions: Sequence[BetterFormat] = ()

    @property
    def wrong(self) -> list[DocumentLine]:
        return [line for line in self.pasted if line.errors]

    @property
    def needs_review(self) -> bool:
        """Return whether the person looks at the pasted lines first."""
        return bool(self.wrong or self.problems)


def edit_lines(form: DocumentForm, data: Mapping[str, str]) -> LineEdit:
    action = data.get("do", "")
    if action == "paste-use":
        return _use_pasted(form)
    if action.startswith(READ_LIKE):
        keys = data.get("pasted-lines", "").split(",")
        rows = (row.partition("\t") for row in data.get("pasted-totals", "").splitlines())
        totals = {line_key: text for line_key, _, text in rows}
        edit = read_numbers(form, keys, action.removeprefix(READ_LIKE), totals)
    else:
        at = whole_number(data.get("at", ""), least=0, largest=MAX_KEY)
        edit = paste_cells(form, data.get("pasted", ""), at=at, column=data.get("column", ""))
    if not edit.pasted:
        return LineEdit(form.rows, message="Nothing to paste")
    edit.lines = pad_with_blank_lines(edit.lines)
    if wrong := edit.wrong:
        taxes = form.price_list.taxes
        wrong[0].focus = wrong[0].control(next(iter(wrong[0].errors)), taxes)
        edit.suggestions = number_formats(edit.pasted, form.style)
    else:
        _focus_below(edit.lines, edit.pasted[-1])
    if not edit.needs_review:
        count = len(edit.pasted)
        edit.message = f"{'1 line was' if count == 1 else f'{count} lines were'} pasted."
    return edit


def _use_pasted(form: DocumentForm) -> LineEdit:
    for line in form.rows:
        line.complete(form.price_list, form.style)
    lines = pad_with_blank_lines(form.rows)
    focus_next(lines)
    return LineEdit(lines, message="The pasted lines were added.")


def focus_next(lines: Sequence[DocumentLine]) -> None:
    """Set `focus` on the line below the last filled one, else on the first, if there is one."""
    if used := filled_lines(lines):
        _focus_below(lines, used[-1])
    elif lines:
        lines[0].focus = "item_name"


def _focus_below(lines: Sequence[DocumentLine], line: DocumentLine) -> None:
    place = min(lines.index(line) + 1, len(lines) - 1)
    lines[place].focus = "item_name"


def parse_cells(text: str) -> list[list[str]]:
    """Return the pasted cells by row; the separator is a tab, or a semicolon if there is no tab."""
    text = text.replace("\0", "")
    mark = "\t" if "\t" in text or ";" not in text else ";"
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    cells = [[cleaned(cell).strip() for cell in row] for row in rows]
    return [row[:MAX_COLUMNS] for row in filter(any, cells)][:MAX_ROWS]


def paste_cells(form: DocumentForm, text: str, *, at: int | None, column: str) -> LineEdit:
    """Return the lines with the cells pasted from line `at` and `column` on.

    `at`: a line's key; None pastes after the last line that is not blank. A first row of headings
    selects the columns instead.
    """
    columns, body = _columns(parse_cells(text), column)
    edit = LineEdit(_copied(form.rows))
    is_percent = any(name == "discount" and "%" in title for title, name in columns)
    first = _place(edit.lines, at)
    for place, values in enumerate(body, first):
        if place >= MAX_LINES:
            left = len(body) - (place - first)
            edit.problems.append(f"{left} rows more than {MAX_LINES} lines.")
            break
        while len(edit.lines) <= place:
            edit.lines.append(blank_line(next_key(edit.lines)))
        line = edit.lines[place]
        cells = zip(columns, values, strict=False)
        texts = {
            name: value
            for (title, name), value in cells
            if name and (value or (title and name in TAXES))
        }
        if total := texts.pop(TOTAL, ""):
            edit.totals[str(line.key)] = total
        line.fill(texts, form.price_list, form.style, is_percent=is_percent)
        line.errors, line.is_pasted = mismatches(line, form, total), True
        if {"item_id", "item_name"} <= texts.keys():
            _check_item(line, form.price_list)
        if not is_percent and texts.get("discount", "")[-1:].isdigit():
            _find_discount_type(line, form, total)
        edit.pasted.append(line)
    edit.problems += [f"The column “{title}” was not used." for title, name in columns if not name]
    return edit


def _copied(lines: Iterable[DocumentLine]) -> list[DocumentLine]:
    return [DocumentLine(line.key, dict(line.cells)) for line in lines]


def _columns(cells: list[list[str]], first: str) -> tuple[list[tuple[str, str]], list[list[str]]]:
    """Return the columns as (heading, name of the cell or ""), and the rows below the headings.

    Without headings the cells are those from `first` on.
    """
    names = _headings(cells[0]) if cells else []
    if any(names):
        return list(zip(cells[0], names, strict=True)), cells[1:]
    width = max((len(row) for row in cells), default=0)
    start = RIGHTWARD.index(first) if first in RIGHTWARD else 0
    names = list(RIGHTWARD[start : start + width])
    return [("", name) for name in [*names, *[""] * (width - len(names))]], cells


def _headings(row: Sequence[str]) -> list[str]:
    """Return the cell of each heading; all "" if fewer than half of them are known headings."""
    names: list[str] = []
    for title in row:
        name = _NAMES.get(headings.normalise(title), "")
        names.append("" if name in names else name)
    return names if sum(map(bool, names)) * 2 >= len(row) else [""] * len(row)


def _place(lines: Sequence[DocumentLine], at: int | None) -> int:
    here = next((place for place, line in enumerate(lines) if line.key == at), None)
    if here is not None:
        return here
    return max((place for place, line in enumerate(lines, 1) if not line.is_blank), default=0)


def _check_item(line: DocumentLine, price_list: PriceList) -> None:
    item_id, name = line.cells["item_id"], line.cells["item_name"]
    if price_list.contradicts(item_id, name):
        line.errors["item_id"] = OTHER_ITEM.format(item_id, name)


def _find_discount_type(line: DocumentLine, form: DocumentForm, total: str) -> None:
    """Take the type of a discount without a unit that makes the line agree with the total in the
    cells; ask if neither does, or if both do.
    """
    discount = line.numbers(form.style)[0]["discount"]
    if not discount or discount > 100:
        return
    fitting = []
    for code in UNITS:
        line.cells["discount_type"] = code
        if total and not _other_total(line, form, total):
            fitting.append(code)
    line.cells["discount_type"] = fitting[0] if len(fitting) == 1 else str(FIXED)
    if len(fitting) == 1:
        line.errors.pop("price", None)  # it was compared with the other type
    else:
        line.errors["discount"] = NO_UNIT


def _other_total(line: DocumentLine, form: DocumentForm, text: str) -> str:
    """Return the message about a line whose amount differs from its cells, with or without tax; ""
    if it agrees, or if either cannot be read.
    """
    said = [amount.number for mark in MARKS if (amount := parse_amount(text, mark))]
    amounts = line.amounts(form.style)
    if not said or amounts.is_unreadable or not line.is_priced:
        return ""
    made = add_up([amounts], unit=smallest_unit(form.currency))
    ours, room = (made.subtotal, made.total), made.unit / 2
    if any(abs(amount - each) <= room for amount in ours for each in said):
        return ""
    subtotal = write_number(made.subtotal, form.style)
    return f"The pasted total is {text}, but these cells make {subtotal}."


def mismatches(line: DocumentLine, form: DocumentForm, total: str = "") -> dict[str, str]:
    """Return the messages about cells that do not match the lists or are no numbers, by cell.
    `total`: the amount of the line in the pasted cells.
    """
    cells, price_list, style = line.cells, form.price_list, form.style
    problems = {name: why for name, text in cells.items() if (why := why_unreadable(text))}
    if cells["item_name"] and not cells["item_id"]:
        problems["item_id"] = (
            f"Unknown item “{cells['item_name']}”. Choose one, or enter its item number."
        )
    if price_list.taxes and cells["tax_id"] and cells["tax_id"] not in price_list.taxes:
        problems["tax_id"] = f"No tax is called “{cells['tax_id']}”."
    if other := _other_total(line, form, total):
        problems["price"] = other
    return problems | line.foreign_amounts(form.currency) | line.numbers(style)[1]


def number_formats(lines: Sequence[DocumentLine], style: Style) -> list[BetterFormat]:
    """Return the decimal marks with which pasted lines should be read: the best of each column with
    a number that cannot be read.
    """
    counts = Counter[str]()
    for name in NUMBERS:
        wrong = [line.cells[name] for line in lines if name in line.numbers(style)[1]]
        for mark in _best_marks(lines, name):
            counts[mark] += sum(parse_amount(text, mark) is not None for text in wrong)
    return [BetterFormat(mark, MARKS[mark], counts[mark]) for mark in MARKS if counts[mark]]


def read_numbers(
    form: DocumentForm, keys: Collection[str], mark: str, totals: Mapping[str, str]
) -> LineEdit:
    """Return the lines, of which those with these keys were pasted: the columns that cannot be read
    are read with this mark, and written in the person's style. `totals`: what they should make.
    """
    edit = LineEdit(_copied(form.rows), totals=dict(totals))
    edit.pasted = [line for line in edit.lines if str(line.key) in keys]
    for name in {name for line in edit.pasted for name in line.numbers(form.style)[1]}:
        if mark in _best_marks(edit.pasted, name):
            _rewrite(edit.pasted, name, mark, form)
    for line in edit.pasted:
        line.complete(form.price_list, form.style)
        total = totals.get(str(line.key), "")
        line.errors, line.is_pasted = mismatches(line, form, total), True
        _check_item(line, form.price_list)
    return edit


def _best_marks(lines: Iterable[DocumentLine], name: str) -> list[str]:
    texts = [line.cells[name] for line in lines]
    counts = {mark: sum(parse_amount(text, mark) is not None for text in texts) for mark in MARKS}
    return [mark for mark in MARKS if counts[mark] == max(counts.values()) > 0]


def _rewrite(lines: Iterable[DocumentLine], name: str, mark: str, form: DocumentForm) -> None:
    for line in lines:
        amount = parse_amount(line.cells[name], mark)
        if amount is None or is_other_currency(amount.currency, form.currency):
            continue
        line.cells[name] = write_number(amount.number, form.style)
        if name == "tax_rate" and not line.cells["tax_id"]:
            line.cells["tax_id"] = tax_of(line.cells[name], form.price_list, form.style)
