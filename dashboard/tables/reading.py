"""Reads a file or pasted text as one table; each guess can be replaced by a person's choice."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from dashboard.text.amounts import is_amount
from dashboard.text.plain import folded

from .cells import Cell, Guess, Row, Unreadable, cell_text, is_blank
from .columns import guess_mark, guess_order, is_day
from .encodings import decode, repaired
from .limits import UnreadableTable, check_bytes, check_size
from .texts import check_kind, read_text
from .workbooks import ReadOptions, read_file, workbook_format
from .writing import TextFormat, write_csv

REPAIR, KEEP = "repair", "keep"
BROKEN_LETTERS = "The letters are broken. Is it “{}”? Choose above, or enter it."
TEXT, VCARD = "text", "vcard"  # the formats of texts; workbooks have theirs


@dataclass
class TableChoices:
    """A person's choices; "", None and missing keys are guessed.

    `header`: the number of the row of headings, 0 if there is none. `letters`: REPAIR or KEEP
    broken ones.
    """

    encoding: str = ""
    separator: str = ""
    sheet: str = ""
    header: int | None = None
    letters: str = ""


@dataclass(frozen=True)
class TableColumn:
    """A column: its heading ("Column C" without one), and its number and date formats as its cells
    have them.
    """

    title: str
    mark: Guess[str]
    order: Guess[str]


@dataclass(frozen=True)
class Source:
    """The rows of a file, and how they were read.

    `encoding` and `separator`: None in workbooks, the separator also in vCards. `sheets`: the
    number of rows by sheet, {} for texts. `hidden_rows`: their numbers; `hidden_columns`: their
    indexes. `broken`: a text with letters that another program read in a wrong encoding.
    """

    format: str
    rows: Sequence[Row]
    encoding: Guess[str] | None = None
    separator: Guess[str] | None = None
    sheets: Mapping[str, int] = field(default_factory=dict)
    sheet: str = ""
    hidden_sheets: Sequence[str] = ()
    hidden_rows: Sequence[int] = ()
    hidden_columns: Sequence[int] = ()
    broken: str = ""

    @property
    def repaired(self) -> str:
        """Return the text of `broken` as it was before."""
        return repaired(self.broken)


@dataclass(frozen=True, kw_only=True)
class ReadTable(Source):
    """A table as read, without the rows above its headings. Each row has a cell for each column."""

    header: Guess[int]
    columns: tuple[TableColumn, ...]


def check_file(content: bytes | str, *, takes_cards: bool = False) -> None:
    """Raise UnreadableTable for a file that is empty, too large, or of another format, without
    reading the table. takes_cards: a vCard is a table of people.
    """
    data = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
    check_bytes(data)
    check_kind(data, takes_cards=takes_cards)
    if isinstance(content, bytes):
        workbook_format(content)


def build_table(source: Source, choices: TableChoices, *, mark: str, order: str) -> ReadTable:
    """Build the table from a file's rows. `mark` and `order` are the person's own, for columns that
    do not decide theirs. Raises UnreadableTable.
    """
    if not source.rows:
        raise UnreadableTable("The table is empty.")
    source = _with_letters(source, choices.letters)
    header = guess_header(source.rows) if source.format != VCARD else Guess(1)
    if choices.header is not None:
        header = Guess(choices.header)
    heads = next((row.cells for row in source.rows if row.number == header.value), ())
    body = [row for row in source.rows
            if row.number > header.value and not _repeats(row.cells, heads)]  # fmt: skip
    check_size(len(body))
    width = max(len(heads), max((len(row.cells) for row in body), default=0))
    rows = tuple(Row(row.number, _padded(row.cells, width)) for row in body)
    columns = tuple(
        _column(index, _padded(heads, width)[index], rows, (mark, order)) for index in range(width)
    )
    return ReadTable(**{**vars(source), "rows": rows}, header=header, columns=columns)


def file_as_text(data: bytes) -> tuple[str, Guess[str]]:
    """Return a file as editable text, and its encoding; of a workbook the sheet with most rows, as
    CSV. Raises UnreadableTable.
    """
    check_file(data)
    if not workbook_format(data):
        return decode(data)
    _, rows = read_file(data, ReadOptions(is_text=False))
    table = write_csv((row.cells for row in rows), TextFormat(byte_order_mark=False))
    return b"".join(table).decode(), Guess("utf-8")


def read_source(content: bytes | str, choices: TableChoices) -> Source:
    check_file(content, takes_cards=True)
    if isinstance(content, str):
        rows, separator = read_text(content, choices.separator)
        return Source(TEXT if separator else VCARD, rows, separator=separator)
    found = workbook_format(content)
    asked = ReadOptions(not found, choices.sheet, choices.encoding, choices.separator)
    head, rows = read_file(content, asked)
    if found:
        return Source(found, rows, **head)
    separator = Guess[str](*head["separator"]) if head["separator"] else None
    return Source(TEXT if separator else VCARD, rows, Guess(*head["encoding"]), separator)


def _with_letters(source: Source, choice: str) -> Source:
    """Repair texts that another program read in a wrong encoding, if chosen; until then they cannot
    be read.
    """
    broken = ""

    def read(cell: Cell) -> Cell:
        nonlocal broken
        if not isinstance(cell, str) or (text := repaired(cell)) == cell:
            return cell
        broken = broken or cell
        ways = {REPAIR: text, KEEP: cell}
        return ways.get(choice) or Unreadable(cell, BROKEN_LETTERS.format(text))

    rows = [Row(row.number, tuple(map(read, row.cells))) for row in source.rows]
    return replace(source, rows=rows, broken=broken)


def _repeats(cells: Sequence[Cell], heads: Sequence[Cell]) -> bool:
    """Return whether a row repeats the headings, as below the break of a printed page."""
    words, again = ([folded(cell_text(cell)) for cell in row if not is_blank(cell)]
                    for row in (heads, cells))  # fmt: skip
    return len(words) > 1 and words == again


def _padded(cells: tuple[Cell, ...], width: int) -> tuple[Cell, ...]:
    return cells + ("",) * (width - len(cells))


def _column(
    index: int,
    heading: Cell,
    rows: Sequence[Row],
    own: tuple[str, str],
) -> TableColumn:
    cells = [row.cells[index] for row in rows]
    return TableColumn(
        column_name(index) if is_blank(heading) else " ".join(cell_text(heading).split()),
        guess_mark(cells, own[0]),
        guess_order(cells, own[1]),
    )


def column_name(index: int) -> str:
    """Return the name of a column without a heading: Column A, Column AB."""
    letters = ""
    number = index + 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"Column {letters}"


_SAMPLE_SIZE = 20  # rows
_MAX_HEADING_LENGTH = 60  # characters of a heading
_REPEATED = 8  # of so many headings one may be a word that stands there already


def guess_header(rows: Sequence[Row]) -> Guess[int]:
    """Guess the number of the row of headings, 0 if there is none.

    It is the first row as wide as most, of short words, nearly all different. Certain if a cell
    below is of another type: a number, a date, an address.
    """
    first = rows[:_SAMPLE_SIZE]
    width = _usual_width(first)
    for index, row in enumerate(first):
        filled = [cell for cell in row.cells if not is_blank(cell)]
        if len(filled) * 2 <= width and len(first) > 1:
            continue
        if not _are_headings(filled):
            return Guess(0, certain=any(map(_is_value, filled)))
        below = first[index + 1 :]
        certain = any(_is_value(cell) for other in below for cell in other.cells)
        return Guess(row.number, certain=certain)
    return Guess(0, certain=False)


def _usual_width(rows: Sequence[Row]) -> int:
    """Return the most frequent number of filled cells in a row, the larger one of two; the median
    if that is larger, as in a table of documents whose lines fill few cells.
    """
    filled = sorted(sum(not is_blank(cell) for cell in row.cells) for row in rows)
    widths = Counter(filled)
    usual = max(widths, key=lambda width: (widths[width], width))
    return max(usual, filled[len(filled) // 2])


def _are_headings(cells: Sequence[Cell]) -> bool:
    words = [folded(cell) for cell in cells if isinstance(cell, str)]
    if len(words) < len(cells) or any(map(_is_value, cells)):
        return False
    repeated = len(words) - len(set(words))
    return repeated * _REPEATED <= len(words) and all(
        len(word) <= _MAX_HEADING_LENGTH for word in words
    )


def _is_value(cell: Cell) -> bool:
    if not isinstance(cell, str) or "@" in cell or "://" in cell:
        return True
    return is_day(cell) or is_amount(cell)
