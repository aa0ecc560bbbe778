"""Re-encrypting what is stored under the first encryption key, while the site runs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Model, QuerySet

from dashboard import cipher


@dataclass
class Report:
    """How many were re-encrypted, how many needed nothing, and which could not be opened."""

    rotated: int = 0
    current: int = 0
    unreadable: list[str] = field(default_factory=list)


def rotate(
    rows: QuerySet[Any], column: str, *, owner: str, purpose: str, name: Callable[[Any], str] = str
) -> Report:
    """Bring a sealed column under the first key; `owner` is the column of the person's id.

    Harmless to run again. Rows without anything sealed in that column are passed over.
    """
    report = Report()
    # By key, one row at a time: SQLite refuses writes from under a read that is still open.
    for pk in list(rows.exclude(**{column: ""}).values_list("pk", flat=True)):
        row = rows.filter(pk=pk).first()
        if row is None:
            continue
        try:
            _rotate_one(row, column, getattr(row, owner), purpose, report)
        except cipher.Unreadable:
            report.unreadable.append(name(row))
    return report


def _rotate_one(row: Model, column: str, owner: int, purpose: str, report: Report) -> None:
    before = getattr(row, column)
    after = cipher.resealed(before, owner=owner, purpose=purpose) if before else None
    # Only over the very ciphertext that was read: what was replaced meanwhile wins.
    unchanged = type(row)._base_manager.filter(pk=row.pk, **{column: before})
    if after and unchanged.update(**{column: after}):
        report.rotated += 1
    else:
        report.current += 1
