"""Stores the pieces of an export, reads them back, and deletes them after a day."""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.utils import timezone
from django_tasks import task

from dashboard import cipher, rotation
from dashboard.exports.models import KEPT, Export, Piece
from dashboard.jobs.models import Job
from dashboard.tables.writing import Written

PURPOSE = "exports"
Kind = Piece.Kind


def add(export: Export, kind: str, text: str, ids: bytes = b"") -> None:
    """Append a piece. Raises django.db.Error."""
    sealed = cipher.seal(text, owner=export.job.person_id, purpose=PURPOSE)
    Piece.objects.create(export=export, kind=kind, content=sealed, ids=ids)


def add_bytes(export: Export, data: bytes) -> None:
    """Append bytes of the file."""
    add(export, Kind.BYTES, b64encode(data).decode())


def file_chunks(export: Export) -> Iterator[bytes]:
    """The file, a piece at a time. Raises cipher.Unreadable."""
    for kind, text in _texts(export, (Kind.TEXT, Kind.BYTES)):
        yield b64decode(text) if kind == Kind.BYTES else text.encode()


def stored_rows(export: Export) -> Iterator[Sequence[Written]]:
    """The rows that were stored with `rows_text`, a piece at a time."""
    for _, text in _texts(export, (Kind.ROWS,)):
        for line in text.splitlines():
            yield [_read(value) for value in json.loads(line)]


def rows_text(rows: Iterable[Sequence[Written]]) -> str:
    """Rows as lines of JSON; numbers stay exact."""
    return "".join(json.dumps(row, default=_write) + "\n" for row in rows)


def rotate() -> rotation.Report:
    """Re-encrypt every piece with the first encryption key."""
    pieces = Piece.objects.select_related("export__job")
    return rotation.rotate(pieces, "content", owner="owner_id", purpose=PURPOSE)


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


def _texts(export: Export, kinds: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(kind, text) of each piece; one at a time, as no query stays open while it is used."""
    pieces = Piece.objects.filter(export=export, kind__in=kinds)
    for pk in list(pieces.values_list("pk", flat=True)):
        piece = pieces.filter(pk=pk).first()
        if piece is None:  # deleted meanwhile
            raise cipher.Unreadable("The file is deleted.")
        owner = export.job.person_id
        yield piece.kind, cipher.unseal(piece.content, owner=owner, purpose=PURPOSE)


def _write(value: object) -> list[str]:
    if isinstance(value, Decimal):
        return ["number", str(value)]
    if isinstance(value, datetime):
        return ["datetime", value.isoformat()]
    if isinstance(value, date):
        return ["date", value.isoformat()]
    raise TypeError(type(value))


def _read(value: Any) -> Written:
    if not isinstance(value, list):
        text: Written = value
        return text
    kind, words = value
    if kind == "number":
        return Decimal(words)
    return datetime.fromisoformat(words) if kind == "datetime" else date.fromisoformat(words)
