"""A list as a CSV file: written for spreadsheet programs, and read as they save it."""

import csv
import io
from collections.abc import Iterable
from typing import NamedTuple

from dashboard.tables import encodings
from dashboard.tables.cells import guarded, unguarded
from dashboard.tables.errors import UnreadableTable

from .forms import plain
from .kinds import ABOUT, NAMED_ALONE, Kind
from .models import ListEntry

MOST_BYTES = 1_000_000
MOST_ROWS = 5_000
MOST_COLUMNS = 50

HEADINGS = {
    "code": "id",
    "name": "name",
    "parent": "pipeline id",
    "price": "price",
    "tax": "tax id",
    "rate": "rate",
    "calling_code": "calling code",
    "value_type": "type",
    "choices": "choices",
    "retired": "retired",
}


class Table(NamedTuple):
    """Lines of a file: (line number, cells by field name); `ignored` are columns unknown to us."""

    columns: tuple[str, ...]
    rows: tuple[tuple[int, dict[str, str]], ...]
    ignored: tuple[str, ...]


def columns_of(kind: Kind) -> tuple[str, ...]:
    """The field names of a kind's columns, in order."""
    own = () if kind in NAMED_ALONE else ("code",)
    return (*own, "name", *ABOUT[kind].details, "retired")


def write(kind: Kind, entries: Iterable[ListEntry]) -> bytes:
    """The list as UTF-8 with a byte order mark, by which spreadsheet programs detect it."""
    columns = columns_of(kind)
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([HEADINGS[name] for name in columns])
    for entry in entries:
        writer.writerow([_cell(entry, name) for name in columns])
    return out.getvalue().encode("utf-8-sig")


def decode(data: bytes) -> tuple[str, str]:
    """The text of a file, and a note where its encoding is guessed; raises UnreadableTable."""
    if len(data) > MOST_BYTES:
        raise UnreadableTable(f"The file is larger than {MOST_BYTES // 1_000_000} MB: divide it.")
    if not data.strip():
        raise UnreadableTable("The file is empty.")
    text, encoding = encodings.decode(data)
    if encoding.certain:
        return text, ""
    words = encodings.ENCODINGS[encoding.value]
    return text, f"Read as {words}, which is a guess. Look at the accents below."


def parse(kind: Kind, text: str) -> Table:
    """The table in a text with commas, semicolons or tabs; raises UnreadableTable."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").lstrip("\ufeff\n")
    try:
        return _parse(kind, lines)
    except csv.Error as error:
        raise UnreadableTable(f"The table cannot be read: {error}.") from None


def _parse(kind: Kind, text: str) -> Table:
    delimiter, skipped = _delimiter(kind, text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    for _ in range(skipped):
        next(reader, None)
    words = _header(kind, next(reader, []))
    known = {HEADINGS[name]: name for name in columns_of(kind)}
    header = [known.get(word, "") for word in words]
    rows: list[tuple[int, dict[str, str]]] = []
    for cells in reader:
        if any(cell.strip() for cell in cells):
            rows.append((reader.line_num, _row(header, cells)))
        if len(rows) > MOST_ROWS:
            raise UnreadableTable(f"There are more than {MOST_ROWS:,} lines: divide the table.")
    ignored = tuple(word for word in words if word and word not in known)
    return Table(tuple(filter(None, header)), tuple(rows), ignored)


def _delimiter(kind: Kind, text: str) -> tuple[str, int]:
    """The delimiter, and the number of lines to skip ("sep=;" is a line that Excel writes)."""
    first = text.partition("\n")[0]
    if first.lower() in ("sep=,", "sep=;", "sep=\t", "sep=|"):
        return first[4], 1
    wanted = {HEADINGS[name] for name in columns_of(kind)}

    def known(delimiter: str) -> int:
        return len(wanted & {word.strip(' "').lower() for word in first.split(delimiter)})

    return max(",;\t", key=known), 0


def _header(kind: Kind, cells: list[str]) -> list[str]:
    words = [" ".join(cell.lower().split()) for cell in cells[:MOST_COLUMNS]]
    needed = [HEADINGS[name] for name in columns_of(kind) if name in ("code", "name")]
    missing = [word for word in needed if word not in words]
    if missing:
        named = " and ".join(f"“{word}”" for word in needed)
        raise UnreadableTable(f"The first line must name the columns, and {named} among them.")
    twice = {word for word in words if word and words.count(word) > 1}
    if twice:
        raise UnreadableTable(f"The first line names “{min(twice)}” twice.")
    return words


def _row(header: list[str], cells: list[str]) -> dict[str, str]:
    """Cells by field name; cells beyond the last heading are joined under ""."""
    padded = cells + [""] * (len(header) - len(cells))
    row = {name: unguarded(cell) for name, cell in zip(header, padded, strict=False) if name}
    beyond = [cell for cell in cells[len(header) :] if cell.strip()]
    return {**row, "": " ".join(beyond)} if beyond else row


def _cell(entry: ListEntry, name: str) -> str:
    value = getattr(entry, name)
    if name == "retired":
        return "yes" if value else "no"
    if name in ("price", "rate"):
        return plain(value)
    text = " | ".join(value) if name == "choices" else str(value)
    return guarded(text)
