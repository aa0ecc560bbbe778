"""Finds the totals rows at the foot of a table, which are no records."""

import re
from collections.abc import Mapping, Sequence

from dashboard.imports.targets import LINE
from dashboard.tables.cells import Cell, Row, cell_text, is_blank
from dashboard.tables.reading import ReadTable
from dashboard.text.amounts import is_amount

SUM = re.compile(
    r"((sub|grand|net|gross|sous)?[ -]?tota(l|ls|le|les|ux|al)|sum|sums|somme|somma|suma|soma"
    r"|(zwischen|gesamt|end)?summe|insgesamt|gesamt|razem|ogółem|łącznie|sub ?totaal)\b.*"
    r"|balance due",
    re.IGNORECASE,
)
"""What is written beside a sum."""
SAMPLE_SIZE = 200  # rows
LOOKS_SO = "Skipped: {} looks like a total."
ONLY_NUMBERS = "A row of numbers only"


def is_sum_word(text: str) -> bool:
    return SUM.fullmatch(text.strip(" :*=-")) is not None


def sum_rows(table: ReadTable, fields: Mapping[str, str]) -> dict[int, str]:
    """Return the reason by number of each totals row at the foot. `fields`: the targets of columns,
    which find the totals among the lines of a document.
    """
    rows = list(table.rows)
    has_lines = any(name.startswith(LINE) for name in fields.values())
    texts = [] if has_lines else _text_columns(rows)
    found: dict[int, str] = {}
    is_full = all(len(_filled(row)) > 1 for row in rows[:-1])
    for row in reversed(rows[1:]):
        why = _why(row, texts, fields, may_stand_alone=is_full and row is rows[-1])
        if not why:
            break
        found[row.number] = LOOKS_SO.format(why)
    return found


def _why(
    row: Row, texts: Sequence[int], fields: Mapping[str, str], *, may_stand_alone: bool
) -> str:
    """Return the reason why a row is a sum; "" for any other row. may_stand_alone: a label without
    a number is enough, as in a last row below others that have more than a name.
    """
    filled = _filled(row)
    words = {index: cell_text(cell) for index, cell in filled.items() if not _is_number(cell)}
    if words:
        is_line = any(fields.get(str(index), "").startswith(LINE) for index in words)
        has_sum = len(filled) > 1 or may_stand_alone
        is_sum = has_sum and len(words) == 1 and all(map(is_sum_word, words.values()))
        return f"“{next(iter(words.values())).strip()}”" if is_sum and not is_line else ""
    return ONLY_NUMBERS if filled and texts and not set(texts) & {*filled} else ""


def _filled(row: Row) -> dict[int, Cell]:
    return {index: cell for index, cell in enumerate(row.cells) if not is_blank(cell)}


def _text_columns(rows: Sequence[Row]) -> list[int]:
    rows = rows[:SAMPLE_SIZE]
    width = len(rows[0].cells) if rows else 0
    cells = [[row.cells[index] for row in rows] for index in range(width)]
    counts = [sum(not (is_blank(one) or _is_number(one)) for one in column) for column in cells]
    return [index for index, number in enumerate(counts) if number * 2 > len(rows)]


def _is_number(cell: Cell) -> bool:
    text = cell_text(cell).strip()
    return not re.match(r"\+|0[0-9]", text) and is_amount(text)
