"""Stores the pieces of an export, reads them back, and deletes them after a day."""

import logging
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import replace

from django.utils import timezone
from django_tasks import task

from dashboard.exports.models import KEPT, Export, Piece
from dashboard.jobs.models import Job
from dashboard.sealed import Unreadable
from dashboard.tables.writing import TextFormat, write_csv

ENDS_HERE = (
    "The rows from here on are missing: they can no longer be opened. Export the list again."
)
Kind = Piece.Kind

logger = logging.getLogger(__name__)


def add(export: Export, kind: str, text: str, ids: bytes = b"") -> None:
    """Append a piece. Raises django.db.Error."""
    piece = Piece(export=export, kind=kind, ids=ids)
    piece.content = text
    piece.save(force_insert=True)


def add_text(export: Export, text: str, ids: bytes) -> None:
    """Append rows of a CSV file."""
    add(export, Kind.TEXT, text, ids)


def add_rows(export: Export, xml: str, ids: bytes) -> None:
    """Append rows of the sheet of an XLSX file."""
    packed = zlib.compress(xml.encode(), level=1)
    add(export, Kind.SHEET, b64encode(packed).decode(), ids)


def add_bytes(export: Export, data: bytes) -> None:
    """Append bytes of the file."""
    add(export, Kind.BYTES, b64encode(data).decode())


def stored_rows(export: Export) -> Iterator[str]:
    """What `add_rows` was given, a piece at a time. Raises sealed.Unreadable."""
    for _, text in _texts(export):
        yield zlib.decompress(b64decode(text)).decode()


def file_chunks(export: Export, style: TextFormat) -> Iterator[bytes]:
    """The file, a piece at a time. The last row of CSV says so if a piece cannot be opened; an
    XLSX file ends there, see `can_be_opened`.
    """
    try:
        for kind, text in _texts(export):
            yield b64decode(text) if kind == Kind.BYTES else text.encode()
    except Unreadable:
        logger.exception("%s cannot be opened to its end", export)
        if not is_xlsx(export):
            yield from write_csv([[ENDS_HERE]], replace(style, byte_order_mark=False))


def is_xlsx(export: Export) -> bool:
    """Whether the file is an XLSX file, which is of no use without its end."""
    return export.file_name.endswith(".xlsx")


def can_be_opened(export: Export) -> bool:
    """Whether every piece of the file can be opened."""
    try:
        return all(True for _ in _texts(export))
    except Unreadable:
        return False


@task()
def delete_expired(export: int) -> None:
    """Delete the file of an export whose day has passed; look again later if it has not."""
    found = Export.objects.select_related("job").filter(pk=export).first()
    if found is None:
        return
    until = found.kept_until
    if (until and until <= timezone.now()) or found.job.state == Job.State.STOPPED:
        found.pieces.all().delete()
    else:
        delete_later(found)


def delete_later(export: Export) -> None:
    """Delete the file in a day, or after the day in which it was finished."""
    delete_expired.using(run_after=timezone.now() + KEPT).enqueue(export.pk)


def _texts(export: Export) -> Iterator[tuple[str, str]]:
    """(kind, text) of each piece; one at a time, as no query stays open while it is used. Raises
    sealed.Unreadable.
    """
    for pk in list(export.pieces.values_list("pk", flat=True)):
        piece = export.pieces.filter(pk=pk).first()
        if piece is None:  # deleted meanwhile
            raise Unreadable("The file is deleted.")
        yield piece.kind, piece.content
