"""Reads rows from delimited text (CSV, pasted cells)."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from .cells import Guess, Row, unescape_formula
from .limits import UnreadableTable, check_row, check_size

SEPARATORS = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma"}
"""By preference where two fit equally well: a decimal comma is often found beside the others."""
_SAMPLE_SIZE = 200  # rows


def read_separated(text: str, separator: str = "") -> tuple[list[Row], Guess[str]]:
    """Return the rows that are not blank, and the separator, guessed if it is "".

    A first line such as "sep=;", which Excel writes, is no row. Raises UnreadableTable.
    """
    said, text = _sep_directive(text)
    wanted = separator or said
    guess = Guess(wanted) if wanted else _guess_separator(text)
    found: list[Row] = []
    width = 0
    for number, cells in enumerate(_rows(text, guess.value), 1):
        check_row(number, cells)
        if any(cell.strip() for cell in cells):
            width = max(width, len(cells))
            check_size(len(found) + 1, width)
            found.append(Row(number, tuple(unescape_formula(cell) for cell in cells)))
    return found, guess


def _sep_directive(text: str) -> tuple[str, str]:
    """Return (the separator that the first line names or "", the text without that line)."""
    first, _, rest = text.partition("\n")
    said = first.strip("\r").strip('"').lower()
    if said.startswith("sep=") and said[4:] in SEPARATORS:
        return said[4:], rest
    return "", text


def _rows(text: str, separator: str) -> Iterator[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        yield from reader
    except csv.Error:
        raise UnreadableTable(
            f"Line {reader.line_num} of the text can't be read: a quotation mark is not closed, "
            "or one inside a cell is not doubled."
        ) from None


def _guess_separator(text: str) -> Guess[str]:
    """Return the separator that gives most rows the same number of cells; certain if only
    one does.
    """
    scores = {separator: _score(text, separator) for separator in SEPARATORS}
    best = max(SEPARATORS, key=lambda separator: scores[separator])
    rivals = [name for name in SEPARATORS if name != best and scores[name][0] >= scores[best][0]]
    return Guess(best if scores[best][1] else ",", certain=not rivals)


def _score(text: str, separator: str) -> tuple[float, int]:
    """Return (share of rows with the most frequent number of cells, that number); (0, 0) without
    it.
    """
    try:
        rows = [row for row in islice(_rows(text, separator), _SAMPLE_SIZE) if row]
    except UnreadableTable:
        return 0, 0
    widths = Counter(len(row) for row in rows if len(row) > 1)
    if not widths:
        return 0, 0
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    return round(count / len(rows), 2), width
