"""Errors of the service at the cells of a document's lines."""

from collections.abc import Collection

from dashboard.documents.formset import CELLS, MOST_LINES, WORDS, DocumentLine
from dashboard.records.forms.record_form import locate_error


def locate_cell(key: str, names: Collection[str]) -> tuple[int, str]:
    """The line, from 0, and the cell that a key of the service's errors means; "" for a whole line.

    `names`: the form's fields. Lines may go by another name than "items" if the key names a cell,
    as in "lines.2.price". (MOST_LINES, "") if it means no line.
    """
    name, inner = locate_error(key, names)
    if not name:
        _, _, inner = key.partition(".")
    number, _, cell = inner.partition(".")
    is_line = name == "items" or (not name and cell in CELLS)
    return (int(number), cell) if is_line and number.isdecimal() else (MOST_LINES, "")


def mark_cell(row: DocumentLine, cell: str, error: str) -> None:
    """Store an error; at the item's name if the row has no such cell, as a header."""
    if cell in WORDS and not row.header:
        row.errors[cell] = error
    else:
        row.errors["item_name"] = f"{cell}: {error}" if cell not in ("", "item_name") else error
