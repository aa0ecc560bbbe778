"""Queries compiled once. Building the SQL of these in the ORM costs ten times what running it does,
and they run on every request."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from django.db import connection
from django.db.models import QuerySet


class Prepared:
    """A `values_list` query compiled at first use; `build` holds a stand-in for each parameter."""

    def __init__(self, build: Callable[[], QuerySet[Any, Any]]) -> None:
        self._build = build

    @cached_property
    def _sql(self) -> str:
        sql, _stand_ins = self._build().query.sql_with_params()
        return sql

    def rows(self, *parameters: Any) -> list[tuple[Any, ...]]:
        """Rows as the database gives them: not converted, so no dates or decimals among them."""
        with connection.cursor() as cursor:
            cursor.execute(self._sql, parameters)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
            return rows
