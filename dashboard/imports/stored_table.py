"""Stores the table of a file in sealed pages of rows, and reads it back a page at a time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from dashboard.core.sealed import sealed_text
from dashboard.imports.import_file import ImportSettings
from dashboard.imports.models import Import, RowPage
from dashboard.tables.cells import Row, cell_as_json, cell_from_json, cell_text
from dashboard.tables.guesses import Guess
from dashboard.tables.reading import ReadTable, TableColumn

ON_A_PAGE = 50  # rows
MOST_SAMPLES, LONGEST_SAMPLE = 3, 40  # values of a column; characters
AT_A_TIME = 20  # pages of one statement


@dataclass(frozen=True)
class StoredTable(ReadTable):
    """A table whose rows are read from the database. `samples`: the first values of each column."""

    samples: tuple[str, ...]


@dataclass(frozen=True)
class StoredRows:
    """The rows of a table, unsealed a page at a time whenever they are gone through."""

    found: Import
    numbers: frozenset[int]

    def __len__(self) -> int:
        return len(self.numbers)

    def __contains__(self, row: object) -> bool:
        return any(one == row for one in self)

    def __iter__(self) -> Iterator[Row]:
        pages = RowPage.objects.filter(imported=self.found).order_by("number")
        for pk in list(pages.values_list("pk", flat=True)):  # no query stays open meanwhile
            page = pages.filter(pk=pk).first()
            if page is None:  # another request has just sent the file
                return
            page.imported = self.found  # whose person it is sealed for
            for number, *cells in page.content:
                yield Row(number, tuple(map(cell_from_json, cells)))


def ways_of(choices: ImportSettings) -> list[Any]:
    """What a file is read anew for once it is chosen differently."""
    return [choices.encoding, choices.separator, choices.sheet, choices.header]


def add_pages(found: Import, table: ReadTable) -> None:
    """Store the rows of a table. Raises django.db.Error."""
    rows = iter(table.rows)
    packed = ([row.number, *map(cell_as_json, row.cells)] for row in rows)
    parts = iter(lambda: list(islice(packed, ON_A_PAGE)), [])
    pages = (_page(found, number, part) for number, part in enumerate(parts))
    while some := list(islice(pages, AT_A_TIME)):
        RowPage.objects.bulk_create(some)


def _page(found: Import, number: int, rows: list[Any]) -> RowPage:
    page = RowPage(imported=found, number=number)
    page.content = rows
    return page


def head_of(table: ReadTable) -> dict[str, Any]:
    """All of a table but its rows, for `Import.table`."""
    return {
        "format": table.format,
        "encoding": table.encoding and _guess_as_json(table.encoding),
        "separator": table.separator and _guess_as_json(table.separator),
        "sheets": table.sheets,
        "sheet": table.sheet,
        "header": _guess_as_json(table.header),
        "columns": [
            [column.title, _guess_as_json(column.mark), _guess_as_json(column.order),
             _samples(row.cells[index] for row in table.rows)]
            for index, column in enumerate(table.columns)
        ],
        "numbers": [row.number for row in table.rows],
    }  # fmt: skip


def table_of(found: Import, choices: ImportSettings) -> StoredTable | str | None:
    """The table as it was read, why it cannot be read, or None until it was read. Raises
    sealed.DecryptionError.
    """
    if not sealed_text(found, "table"):
        return None
    head = found.table
    if "refusal" in head:
        return str(head["refusal"])
    reading = choices.of_reading()
    return StoredTable(
        format=head["format"],
        encoding=head["encoding"] and Guess(*head["encoding"]),
        separator=head["separator"] and Guess(*head["separator"]),
        sheets=head["sheets"],
        sheet=head["sheet"],
        header=Guess(*head["header"]),
        columns=tuple(
            TableColumn(title, _chosen(reading.marks.get(index), mark),
                        _chosen(reading.orders.get(index), order))
            for index, (title, mark, order, _) in enumerate(head["columns"])
        ),
        rows=StoredRows(found, frozenset(head["numbers"])),
        samples=tuple(samples for *_, samples in head["columns"]),
    )  # fmt: skip


def _chosen(choice: str | None, guess: list[Any]) -> Guess[str]:
    return Guess(choice) if choice else Guess(*guess)


def _guess_as_json(guess: Guess[Any]) -> list[Any]:
    return [guess.value, guess.certain]


def _samples(cells: Iterable[Any]) -> str:
    """The first values of a column that differ."""
    texts = (_shortened(" ".join(cell_text(cell).split())) for cell in cells)
    found = dict[str, None]()
    for text in filter(None, texts):
        found[text] = None
        if len(found) == MOST_SAMPLES:
            break
    return ", ".join(found)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SAMPLE else text[: LONGEST_SAMPLE - 1] + "…"
