"""Stores the rows of an export and reads them back."""

import logging
from collections.abc import Iterable, Iterator, Sequence

from dashboard.core.sealed import DecryptionError
from dashboard.jobs.models import Export, Piece
from dashboard.tables.cells import Cell, cell_as_json, cell_from_json
from dashboard.tables.writing import Written

ENDS_HERE = (
    "The rows from here on are missing: they can no longer be opened. Export the list again."
)

logger = logging.getLogger(__name__)


def add(export: Export, rows: Iterable[Sequence[Written]]) -> None:
    """Append rows. Raises django.db.Error."""
    piece = Piece(export=export)
    piece.content = [["" if cell is None else cell_as_json(cell) for cell in row] for row in rows]
    piece.save(force_insert=True)


def stored_rows(export: Export) -> Iterator[list[Cell]]:
    """The rows of an export; the last one says so if they cannot be opened from there on."""
    # One piece at a time, as no query stays open while it is used.
    for pk in list(export.pieces.values_list("pk", flat=True)):
        try:
            rows = export.pieces.get(pk=pk).content
        except (DecryptionError, Piece.DoesNotExist):  # deleted meanwhile
            logger.exception("%s cannot be opened to its end", export)
            yield [ENDS_HERE]
            return
        yield from ([cell_from_json(cell) for cell in row] for row in rows)
