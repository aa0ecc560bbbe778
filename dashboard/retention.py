"""Deletes many rows without holding the database for long."""

from typing import Any

from django.db.models import QuerySet

AT_A_TIME = 1000  # rows of one statement: other writes go on between two of them


def delete(rows: QuerySet[Any]) -> int:
    """Delete the rows, with what belongs to them, in batches; how many rows. Commits each batch."""
    deleted = 0
    while found := list(rows.order_by("pk").values_list("pk", flat=True)[:AT_A_TIME]):
        rows.filter(pk__in=found).delete()
        deleted += len(found)
    return deleted
