"""Moves sealed values to another table, for the migrations that empty former ones."""

from typing import NamedTuple

from django.core.management.color import no_style
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from dashboard.sealed import Unreadable, place_of, seal, unseal


class SealedPlace(NamedTuple):
    """What a sealed value is bound to: the purpose, the table, the column, and the row's values."""

    purpose: str
    table: str
    column: str
    row: tuple[object, ...]


def moved(
    sealed: str, owner: int, before: SealedPlace, after: SealedPlace, new_owner: int | None = None
) -> str:
    """The ciphertext for its new place. What no key opens stays as it is, and unreadable.

    owner: the id of the person it was sealed for. new_owner: of whom it is sealed for now, if that
    is another one.
    """
    if not sealed:
        return ""
    try:
        text = unseal(sealed, owner=owner, **_bound(before))
    except Unreadable:
        return sealed
    return seal(text, owner=owner if new_owner is None else new_owner, **_bound(after))


def _bound(place: SealedPlace) -> dict[str, str]:
    return {"purpose": place.purpose, "place": place_of(place.table, place.column, *place.row)}


def number_on(connection: BaseDatabaseWrapper, model: type[models.Model]) -> None:
    """Let the database number new rows after those that were stored with their numbers."""
    for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
        with connection.cursor() as cursor:
            cursor.execute(statement)
