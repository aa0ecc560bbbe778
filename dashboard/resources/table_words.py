"""Reads a pasted table of people: the cells, and which column goes to which field of a lead."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from dashboard.records.forms.phones import NotAPhone, read_phone

from .one_line import EMAIL

MOST_ROWS = 50
MOST_COLUMNS = 30
NAME, NOTES = "cstname", "cstnotes"
HEADINGS = {
    NAME: ("name", "full name", "contact", "contact name", "lead", "person"),
    "cstemail": ("email", "e-mail", "mail", "email address"),
    "cstmobile": ("phone", "phone number", "tel", "telephone", "mobile", "number", "cell"),
    "lead_company_name": ("company", "company name", "business", "organisation", "organization"),
    "lead_source": ("source", "lead source", "origin"),
    "lead_industry": ("industry", "branch", "sector"),
    "cstaddress": ("address", "street", "postal address"),
    NOTES: ("note", "notes", "comment", "comments", "remark", "remarks"),
}
_FIELDS = {word: name for name, words in HEADINGS.items() for word in words}


class Table(NamedTuple):
    """A pasted table. `rows`: texts by field; `columns`: the fields that it fills, in their order.

    unmatched: the headings without a field, whose cells go to the notes. more: the text of the rows
    beyond MOST_ROWS, with the headings.
    """

    rows: list[dict[str, str]]
    columns: list[str]
    unmatched: list[str]
    more: str


def read_table(text: str) -> Table:
    """The rows of a text with tabs, semicolons or commas between its cells.

    A first row of known headings selects the columns; without one they are told by what is in them.
    """
    cells, mark = _cells(text)
    headings = _headings(cells[0]) if cells else []
    body = cells[1:] if any(headings) else cells
    titles = cells[0] if any(headings) else []
    fields = headings if any(headings) else _by_content(body)
    rows = [_row(fields, titles, values) for values in body[:MOST_ROWS]]
    used = [name for name in HEADINGS if any(row.get(name) for row in rows)]
    unmatched = [title for title, name in zip(titles, fields, strict=False) if title and not name]
    return Table(rows, used, unmatched, _more(titles, body[MOST_ROWS:], mark))


def _cells(text: str) -> tuple[list[list[str]], str]:
    text = text.replace("\0", "")
    mark = "\t" if "\t" in text else ";" if ";" in text else ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    stripped = ([cell.strip() for cell in row] for row in rows)
    return [_joined(row, mark) for row in stripped if any(row)], mark


def _joined(row: list[str], mark: str) -> list[str]:
    """The cells of a row, with all beyond MOST_COLUMNS in the last one."""
    head, rest = row[: MOST_COLUMNS - 1], row[MOST_COLUMNS - 1 :]
    return [*head, mark.join(rest)] if rest else head


def _headings(row: Sequence[str]) -> list[str]:
    """The field of each heading, "" for none; all "" unless the row has two that are known, or
    nothing else. A field that is named twice takes the first column.
    """
    names = [_FIELDS.get(re.sub(r"[\s_]+", " ", cell.casefold()).strip(" .:*"), "") for cell in row]
    names = ["" if name in names[:place] else name for place, name in enumerate(names)]
    known = len([name for name in names if name])
    return names if known >= 2 or known == len(row) else [""] * len(row)


def _by_content(rows: Sequence[Sequence[str]]) -> list[str]:
    """The field of each column of a table without headings."""
    width = max((len(row) for row in rows), default=0)
    columns = [[row[place] for row in rows if place < len(row)] for place in range(width)]
    fields = [""] * width
    texts = iter((NAME, "lead_company_name"))
    for place, column in enumerate(columns):
        filled = [cell for cell in column if cell]
        if _most(filled, lambda cell: EMAIL.fullmatch(cell) is not None):
            name = "cstemail"
        elif _most(filled, _is_phone):
            name = "cstmobile"
        else:
            name = next(texts, "") if filled else ""
        fields[place] = "" if name in fields else name
    return fields


def _most(cells: Sequence[str], is_one: Callable[[str], bool]) -> bool:
    return bool(cells) and sum(map(is_one, cells)) * 2 > len(cells)


def _is_phone(text: str) -> bool:
    try:
        return len(read_phone(text).sent) >= 6
    except NotAPhone:
        return False


def _row(fields: Sequence[str], titles: Sequence[str], values: Sequence[str]) -> dict[str, str]:
    """The texts by field; a cell without a field goes to the notes, with its heading."""
    row: dict[str, str] = {}
    loose = []
    for place, value in enumerate(values):
        name = fields[place] if place < len(fields) else ""
        title = titles[place] if place < len(titles) else ""
        if name:
            row[name] = value
        elif value:
            loose.append(f"{title}: {value}" if title else value)
    row[NOTES] = "\n".join(filter(None, [row.get(NOTES, ""), *loose]))
    return row


def _more(titles: Sequence[str], rows: Iterable[Sequence[str]], mark: str) -> str:
    rest = list(rows)
    if not rest:
        return ""
    text = io.StringIO()
    csv.writer(text, delimiter=mark, lineterminator="\n").writerows(
        [titles, *rest] if titles else rest
    )
    return text.getvalue()
