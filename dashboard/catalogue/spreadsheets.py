"""A list as a CSV file: written for spreadsheet programs, and read as they save it."""

import csv
import io
from collections.abc import Iterable
from typing import NamedTuple

from .forms import plain
from .kinds import ABOUT, NAMED_ALONE, Kind
from .models import ListEntry

MOST_BYTES = 1_000_000
MOST_ROWS = 5_000
MOST_COLUMNS = 50
BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}

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

FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
"""A spreadsheet takes a cell that begins so for a formula; an apostrophe makes it text. The
apostrophe itself is among them, so that what was written can be read back without loss."""


class NotReadable(Exception):  # noqa: N818 - named like the gateway's errors
    """A file that cannot be read, with the reason in words."""


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
    """The text of a file, and a note where its encoding had to be guessed; raises NotReadable."""
    if len(data) > MOST_BYTES:
        raise NotReadable(f"The file is larger than {MOST_BYTES // 1_000_000} MB: divide it.")
    if not data.strip():
        raise NotReadable("The file is empty.")
    known = next((name for bom, name in BOMS.items() if data.startswith(bom)), "")
    if b"\0" in data and known != "utf-16":
        raise NotReadable("This is no text file. Save the table as CSV, and choose that file.")
    try:
        return data.decode(known or "utf-8"), ""
    except UnicodeDecodeError:
        if known:
            raise NotReadable("The file is damaged: save it as CSV (UTF-8) once more.") from None
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        words = "The file is in an encoding we do not know: save it as CSV (UTF-8)."
        raise NotReadable(words) from None
    return text, "Read as Windows-1252, because it is not UTF-8. Look at the accents below."


def parse(kind: Kind, text: str) -> Table:
    """The table in a text with commas, semicolons or tabs; raises NotReadable."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").lstrip("\ufeff\n")
    try:
        return _parse(kind, lines)
    except csv.Error as error:
        raise NotReadable(f"The table cannot be read: {error}.") from None


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
            raise NotReadable(f"There are more than {MOST_ROWS:,} lines: divide the table.")
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
        raise NotReadable(f"The first line must name the columns, and {named} among them.")
    twice = {word for word in words if word and words.count(word) > 1}
    if twice:
        raise NotReadable(f"The first line names “{min(twice)}” twice.")
    return words


def _row(header: list[str], cells: list[str]) -> dict[str, str]:
    """Cells by field name; cells beyond the last heading are joined under ""."""
    padded = cells + [""] * (len(header) - len(cells))
    row = {name: _unquoted(cell) for name, cell in zip(header, padded, strict=False) if name}
    beyond = [cell for cell in cells[len(header) :] if cell.strip()]
    return {**row, "": " ".join(beyond)} if beyond else row


def _cell(entry: ListEntry, name: str) -> str:
    value = getattr(entry, name)
    if name == "retired":
        return "yes" if value else "no"
    if name in ("price", "rate"):
        return plain(value)
    text = " | ".join(value) if name == "choices" else str(value)
    return f"'{text}" if text.startswith(FORMULA) else text


def _unquoted(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell
