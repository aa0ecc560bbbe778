"""Stores the rows of an export, reads them back, and deletes them after a day."""

import logging
from array import array
from collections.abc import Iterable, Iterator, Sequence

from django.utils import timezone
from django_tasks import task

from dashboard.exports.models import KEPT, Export, Piece
from dashboard.jobs.models import Job
from dashboard.sealed import Unreadable
from dashboard.tables.cells import Cell, cell_as_json, cell_from_json
from dashboard.tables.writing import Written

ENDS_HERE = (
    "The rows from here on are missing: they can no longer be opened. Export the list again."
)

logger = logging.getLogger(__name__)


def add(export: Export, rows: Iterable[Sequence[Written]], ids: "array[int]") -> None:
    """Append the rows of these records. Raises django.db.Error."""
    piece = Piece(export=export, ids=ids.tobytes())
    piece.content = [["" if cell is None else cell_as_json(cell) for cell in row] for row in rows]
    piece.save(force_insert=True)


def stored_rows(export: Export) -> Iterator[list[Cell]]:
    """The rows of an export; the last one says so if they cannot be opened from there on."""
    # One piece at a time, as no query stays open while it is used.
    for pk in list(export.pieces.values_list("pk", flat=True)):
        try:
            rows = export.pieces.get(pk=pk).content
        except (Unreadable, Piece.DoesNotExist):  # deleted meanwhile
            logger.exception("%s cannot be opened to its end", export)
            yield [ENDS_HERE]
            return
        yield from ([cell_from_json(cell) for cell in row] for row in rows)


@task()
def delete_expired(export: int) -> None:
    """Delete the rows of an export whose day has passed; look again later if it has not."""
    found = Export.objects.select_related("job").filter(pk=export).first()
    if found is None:
        return
    until = found.kept_until
    if (until and until <= timezone.now()) or found.job.state == Job.State.STOPPED:
        found.pieces.all().delete()
    else:
        delete_later(found)


def delete_later(export: Export) -> None:
    """Delete the rows in a day, or after the day in which it was finished."""
    delete_expired.using(run_after=timezone.now() + KEPT).enqueue(export.pk)
