"""A list as a table: written as CSV for spreadsheet programs, and read from any of their files."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import chain, zip_longest
from typing import NamedTuple

from dashboard.tables import encodings
from dashboard.tables.cells import Cell, cell_text
from dashboard.tables.errors import UnreadableTable
from dashboard.tables.reading import file_as_text
from dashboard.tables.separated import read_separated
from dashboard.tables.writing import Written, write_csv

from .kinds import KIND_SPECS, NAMED_ALONE, Kind
from .models import ListEntry

MOST_BYTES = 1_000_000
MOST_ROWS = 5_000
TOO_LARGE = f"The file is larger than {MOST_BYTES // 1_000_000} MB: divide it."

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
    return (*own, "name", *KIND_SPECS[kind].details, "retired")


def write(kind: Kind, entries: Iterable[ListEntry]) -> bytes:
    """The list as UTF-8 with a byte order mark, by which spreadsheet programs detect it."""
    columns = columns_of(kind)
    rows = ([_cell(entry, name) for name in columns] for entry in entries)
    return b"".join(write_csv(chain([[HEADINGS[name] for name in columns]], rows)))


def decode(data: bytes) -> tuple[str, str]:
    """The text of a file, and a note where its encoding is guessed; raises UnreadableTable."""
    if len(data) > MOST_BYTES:
        raise UnreadableTable(TOO_LARGE)
    text, encoding = file_as_text(data)
    if len(text) > MOST_BYTES:
        raise UnreadableTable(TOO_LARGE)
    if encoding.certain:
        return text, ""
    words = encodings.ENCODINGS[encoding.value]
    return text, f"Read as {words}, which is a guess. Look at the accents below."


def parse(kind: Kind, text: str) -> Table:
    """The table in a text; raises UnreadableTable."""
    lines, _ = read_separated(text)
    if len(lines) > MOST_ROWS + 1:
        raise UnreadableTable(f"There are more than {MOST_ROWS:,} lines: divide the table.")
    words = _header(kind, lines[0].cells if lines else ())
    known = {HEADINGS[name]: name for name in columns_of(kind)}
    header = [known.get(word, "") for word in words]
    rows = tuple((row.number, _row(header, row.cells)) for row in lines[1:])
    ignored = tuple(word for word in words if word and word not in known)
    return Table(tuple(filter(None, header)), rows, ignored)


def _header(kind: Kind, cells: Sequence[Cell]) -> list[str]:
    words = [" ".join(cell_text(cell).lower().split()) for cell in cells]
    needed = [HEADINGS[name] for name in columns_of(kind) if name in ("code", "name")]
    missing = [word for word in needed if word not in words]
    if missing:
        named = " and ".join(f"“{word}”" for word in needed)
        raise UnreadableTable(f"The first line must name the columns, and {named} among them.")
    twice = {word for word in words if word and words.count(word) > 1}
    if twice:
        raise UnreadableTable(f"The first line names “{min(twice)}” twice.")
    return words


def _row(header: Sequence[str], cells: Sequence[Cell]) -> dict[str, str]:
    """Cells by field name; cells beyond the last heading are joined under ""."""
    texts = list(map(cell_text, cells))
    row = dict(zip_longest(header, texts[: len(header)], fillvalue=""))
    row.pop("", None)
    beyond = [text for text in texts[len(header) :] if text.strip()]
    return {**row, "": " ".join(beyond)} if beyond else row


def _cell(entry: ListEntry, name: str) -> Written:
    value = getattr(entry, name)
    if isinstance(value, Decimal):
        return value.normalize()
    return " | ".join(value) if name == "choices" else value
