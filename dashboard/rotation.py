"""Re-encrypts stored columns under the first encryption key, and those of earlier releases in the
present version, while the site runs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Model, QuerySet

from dashboard import cipher

AT_A_TIME = 500  # rows in memory


@dataclass
class Report:
    """Counts of re-encrypted rows and of current ones, and the names of unreadable ones."""

    rotated: int = 0
    current: int = 0
    unreadable: list[str] = field(default_factory=list)

    def __add__(self, other: "Report") -> "Report":
        return Report(
            self.rotated + other.rotated,
            self.current + other.current,
            self.unreadable + other.unreadable,
        )


def rotate(
    rows: QuerySet[Any], column: str, *, owner: str, purpose: str, name: Callable[[Any], str] = str
) -> Report:
    """Re-encrypt `column` of `rows` under the first key; `owner` is the column of the person's id.
    Each row says its place by `place(column)`.

    Idempotent. Skips rows whose column is empty. `name` makes the entry of `Report.unreadable`.
    """
    report = Report()
    for row in _in_batches(rows.exclude(**{column: ""}).order_by("pk")):
        try:
            _rotate_one(rows, row, column, getattr(row, owner), purpose, report)
        except cipher.Unreadable:
            report.unreadable.append(name(row))
    return report


def _in_batches(rows: QuerySet[Any]) -> Iterator[Any]:
    """All rows in the order of their keys; no read is open while one of them is used, as SQLite
    refuses to write then.
    """
    found = list(rows[:AT_A_TIME])
    while found:
        yield from found
        found = list(rows.filter(pk__gt=found[-1].pk)[:AT_A_TIME])


def _resealed(row: Any, column: str, owner: int, purpose: str) -> str | None:
    place = row.place(column)
    return cipher.resealed(getattr(row, column), owner=owner, purpose=purpose, place=place)


def _rotate_one(
    rows: QuerySet[Any], row: Model, column: str, owner: int, purpose: str, report: Report
) -> None:
    before = getattr(row, column)
    after = _resealed(row, column, owner, purpose) if before else None
    # Update only the ciphertext that was read: a concurrent change must not be overwritten.
    unchanged = rows.filter(pk=row.pk, **{column: before})
    if after and unchanged.update(**{column: after}):
        report.rotated += 1
    else:
        report.current += 1
