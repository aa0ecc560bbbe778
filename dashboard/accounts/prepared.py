"""Queries compiled once. Building the SQL of these in the ORM costs ten times what running it does,
and they run on every request."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from django.db import connection
from django.db.models import QuerySet


class Prepared:
    """A `values_list` query compiled at first use.

    `build` holds a stand-in for each parameter; those given to `rows` take the places of the last
    ones, and what stands before them stays as it was built.
    """

    def __init__(self, build: Callable[[], QuerySet[Any, Any]]) -> None:
        self._build = build

    @cached_property
    def _sql(self) -> tuple[str, tuple[Any, ...]]:
        return self._build().query.sql_with_params()

    def rows(self, *parameters: Any) -> list[tuple[Any, ...]]:
        """Rows as the database gives them: not converted, so no dates or decimals among them."""
        sql, built = self._sql
        with connection.cursor() as cursor:
            cursor.execute(sql, (*built[: len(built) - len(parameters)], *parameters))
            rows: list[tuple[Any, ...]] = cursor.fetchall()
            return rows
